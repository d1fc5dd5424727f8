"""Values that were reduced before they were logged."""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics.classification import MulticlassF1Score, MulticlassRecall
from torchmetrics.functional.classification import multiclass_f1_score

from demo.findings.common import FIVE_AND_FOUR, FOUR_AND_FOUR, Model, loader, mine, trainer


class _Counted(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = MulticlassF1Score(3)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)


class _Kept(Model):
    """Keeps what each step saw, as there were outputs once."""

    def __init__(self) -> None:
        super().__init__()
        self.outputs: list[Any] = []

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.outputs.append(batch)

    def kept(self) -> list[torch.Tensor]:
        predictions, labels = (torch.cat(parts) for parts in zip(*self.outputs, strict=True))
        self.outputs.clear()
        return [predictions, labels]


def _validate(model: Model, shards: Any = FIVE_AND_FOUR, batch_size: int = 2) -> None:
    shard = loader(*mine(shards), batch_size=batch_size)
    trainer().validate(model, shard, verbose=False)


def computed_and_reset() -> None:
    class Module(_Counted):
        def on_validation_epoch_end(self) -> None:
            self.log("f1", self.val_f1.compute())
            self.val_f1.reset()

    _validate(Module())


def computed_and_synced_again() -> None:
    """The mean of equal numbers is that number."""

    class Module(_Counted):
        def on_validation_epoch_end(self) -> None:
            self.log("f1", self.val_f1.compute(), sync_dist=True)
            self.val_f1.reset()

    _validate(Module())


def computed_for_every_class() -> None:
    class Module(Model):
        def __init__(self) -> None:
            super().__init__()
            self.recall = MulticlassRecall(3, average=None)

        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.recall.update(*batch)

        def on_validation_epoch_end(self) -> None:
            for label, value in enumerate(self.recall.compute()):
                self.log(f"recall_{label}", value)
            self.recall.reset()

    _validate(Module())


def gathered() -> None:
    class Module(_Kept):
        def on_validation_epoch_end(self) -> None:
            predictions, labels = (self.all_gather(part).flatten() for part in self.kept())
            self.log("f1", multiclass_f1_score(predictions, labels, num_classes=3))

    _validate(Module(), FOUR_AND_FOUR)


def gathered_and_written_on_rank_zero() -> None:
    class Module(_Kept):
        def on_validation_epoch_end(self) -> None:
            predictions, labels = (self.all_gather(part).flatten() for part in self.kept())
            f1 = multiclass_f1_score(predictions, labels, num_classes=3)
            if self.trainer.is_global_zero:
                self.log("f1", f1, rank_zero_only=True)

    _validate(Module(), FOUR_AND_FOUR)


def reduced() -> None:
    """Sums and counts first, the mean of them last."""

    class Module(_Kept):
        def on_validation_epoch_end(self) -> None:
            predictions, labels = self.kept()
            right = (predictions == labels).sum()
            total = torch.tensor(len(labels))
            right, total = (
                self.trainer.strategy.reduce(x, reduce_op="sum") for x in (right, total)
            )
            self.log("accuracy", right / total)

    _validate(Module())


def counts_summed_by_the_sync() -> None:
    class Module(Model):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            predictions, labels = batch
            hits = (predictions == labels).sum().float()
            how: dict[str, Any] = {"on_epoch": True, "sync_dist": True, "reduce_fx": "sum"}
            self.log("hits", hits, **how)
            self.log("samples", float(len(labels)), **how)

    _validate(Module())


def computed_in_a_callback() -> None:
    from lightning.pytorch import Callback

    from ddpwatch_lightning import DDPWatch

    class Computing(Callback):
        def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            pl_module.log("f1", pl_module.val_f1.compute())
            pl_module.val_f1.reset()

    shard = loader(*mine(FIVE_AND_FOUR))
    trainer(callbacks=[DDPWatch(every=1), Computing()]).validate(_Counted(), shard, verbose=False)
