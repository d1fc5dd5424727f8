"""Callbacks and loggers that go by values which are the same on all ranks."""

from __future__ import annotations

import tempfile
from typing import Any

import torch
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torchmetrics.classification import BinaryF1Score

from ddpwatch_lightning import DDPWatch
from demo.findings.common import Model, loader, mine, trainer


class _Module(Model):
    """Its F1 is 0.8 on rank 0, 0.5 on rank 1, and 0.6667 over both."""

    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = BinaryF1Score()

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight * batch[0].float().mean()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)
        self.log("val_f1", self.val_f1)
        self.log("val_loss", batch[0].float().mean(), sync_dist=True)


def _data() -> Any:
    predictions, labels = ([1, 0, 1, 1], [1, 1, 0, 0]), ([1, 0, 0, 1], [1, 0, 1, 0])
    return loader(mine(predictions), mine(labels))


def _fit(*callbacks: Any, model: Model | None = None, epochs: int = 3) -> None:
    with tempfile.TemporaryDirectory() as folder:
        each = trainer(
            max_epochs=epochs,
            logger=CSVLogger(folder),
            enable_checkpointing=True,
            log_every_n_steps=1,
            callbacks=[DDPWatch(every=1), *(make(folder) for make in callbacks)],
        )
        each.fit(model or _Module(), _data(), _data())
        each.strategy.barrier()


def best_by_metric_object() -> None:
    _fit(
        lambda folder: ModelCheckpoint(
            folder, "{epoch}-{val_f1:.3f}", monitor="val_f1", mode="max", save_top_k=2
        ),
        lambda _: EarlyStopping("val_f1", mode="max", patience=1),
    )


def best_by_synced_loss() -> None:
    _fit(
        lambda folder: ModelCheckpoint(folder, "{epoch}-{val_loss:.3f}", monitor="val_loss"),
        lambda _: EarlyStopping("val_loss", patience=5),
    )


def learning_rate_monitored() -> None:
    class Module(_Module):
        def configure_optimizers(self) -> Any:
            optimizer = super().configure_optimizers()
            return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]

    _fit(
        ModelCheckpoint,
        lambda _: LearningRateMonitor("step"),
        model=Module(),
    )


def learning_rate_by_metric_object() -> None:
    class Module(_Module):
        def configure_optimizers(self) -> Any:
            optimizer = super().configure_optimizers()
            plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", patience=1)
            return {
                "optimizer": optimizer,
                "lr_scheduler": {"scheduler": plateau, "monitor": "val_f1"},
            }

    _fit(ModelCheckpoint, model=Module())


def written_on_rank_zero_alone() -> None:
    class Module(_Module):
        def on_validation_epoch_end(self) -> None:
            if self.trainer.is_global_zero:
                logger: Any = self.logger
                logger.experiment.log_metrics({"learnt": 1.0}, step=self.global_step)

    _fit(ModelCheckpoint, model=Module())
