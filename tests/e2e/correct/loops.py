"""Stages and loops in every order, each with a metric object of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torchmetrics import MeanMetric
from torchmetrics.classification import BinaryF1Score

from demo.findings.common import Model, loader, mine, trainer

_PREDICTIONS = ([1, 0, 1, 1], [0, 0, 1, 1])
_LABELS = ([1, 0, 0, 1], [0, 1, 1, 1])


class _Module(Model):
    """Trains, validates and tests, and logs an object for each."""

    def __init__(self) -> None:
        super().__init__()
        self.train_f1, self.val_f1, self.test_f1 = (BinaryF1Score() for _ in range(3))

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        self.train_f1.update(*batch)
        self.log("train_f1", self.train_f1, on_step=False, on_epoch=True)
        return self.weight * batch[0].float().mean()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)
        self.log("val_f1", self.val_f1)

    def test_step(self, batch: Any, batch_idx: int) -> None:
        self.test_f1.update(*batch)
        self.log("test_f1", self.test_f1)

    def predict_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight * batch[0]


def _data() -> Any:
    return loader(mine(_PREDICTIONS), mine(_LABELS), batch_size=1)


def fit_with_sanity_check() -> None:
    trainer(max_epochs=3, num_sanity_val_steps=2).fit(_Module(), _data(), _data())


def gradient_accumulation() -> None:
    trainer(max_epochs=2, accumulate_grad_batches=2).fit(_Module(), _data(), _data())


def several_validations_per_epoch() -> None:
    trainer(max_epochs=2, val_check_interval=0.5).fit(_Module(), _data(), _data())


def fit_validate_test_predict() -> None:
    model, each = _Module(), trainer(max_epochs=2)
    each.fit(model, _data(), _data())
    each.validate(model, _data(), verbose=False)
    each.test(model, _data(), verbose=False)
    each.predict(model, _data(), return_predictions=False)


def validated_twice() -> None:
    model, each = _Module(), trainer()
    for _ in range(2):
        each.validate(model, _data(), verbose=False)


def resumed() -> None:
    """Only the second half is watched."""
    with tempfile.TemporaryDirectory() as folder:
        saving = ModelCheckpoint(folder, save_last=True, save_top_k=0)
        first = trainer(max_epochs=1, enable_checkpointing=True, callbacks=[saving])
        first.fit(_Module(), _data(), _data())
        last = first.strategy.broadcast(str(Path(folder) / "last.ckpt"))
        trainer(max_epochs=3).fit(_Module(), _data(), _data(), ckpt_path=last)
        first.strategy.barrier()


def manual_optimisation() -> None:
    class Module(_Module):
        automatic_optimization = False

        def training_step(self, batch: Any, batch_idx: int) -> None:
            optimizer: Any = self.optimizers()
            optimizer.zero_grad()
            self.manual_backward(super().training_step(batch, batch_idx))
            optimizer.step()

    model = Module()
    model.automatic_optimization = False
    trainer(max_epochs=2).fit(model, _data(), _data())


def two_optimizers() -> None:
    class Module(_Module):
        def __init__(self) -> None:
            super().__init__()
            self.automatic_optimization = False
            self.other = torch.nn.Parameter(torch.ones(()))
            self.loss = MeanMetric()

        def training_step(self, batch: Any, batch_idx: int) -> None:
            optimizers: Any = self.optimizers()
            loss = (self.weight + self.other) * batch[0].float().mean()
            self.manual_backward(loss)
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad()
            self.loss.update(loss)
            self.log("loss", self.loss, on_step=False, on_epoch=True)

        def configure_optimizers(self) -> Any:
            return [torch.optim.SGD([each], lr=0.0) for each in (self.weight, self.other)]

    trainer(max_epochs=2).fit(Module(), _data(), _data())


def reset_by_hand_after_the_sanity_check() -> None:
    class Module(_Module):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_f1.update(*batch)

        def on_validation_epoch_end(self) -> None:
            f1 = self.val_f1.compute()
            if not self.trainer.sanity_checking:
                self.log("val_f1", f1)
            self.val_f1.reset()

    trainer(max_epochs=2, num_sanity_val_steps=2).fit(Module(), _data(), _data())


def training_metric_reset_by_hand() -> None:
    class Module(_Module):
        def training_step(self, batch: Any, batch_idx: int) -> Any:
            self.train_f1.update(*batch)
            return self.weight * batch[0].float().mean()

        def on_train_epoch_end(self) -> None:
            self.log("train_f1", self.train_f1.compute())
            self.train_f1.reset()

    trainer(max_epochs=3).fit(Module(), _data(), _data())


def fast_dev_run() -> None:
    trainer(fast_dev_run=True).fit(_Module(), _data(), _data())


def every_other_epoch_validated() -> None:
    trainer(max_epochs=4, check_val_every_n_epoch=2).fit(_Module(), _data(), _data())
