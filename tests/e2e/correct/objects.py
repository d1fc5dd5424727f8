"""Metric objects, logged in every way that Lightning allows."""

from __future__ import annotations

from typing import Any

import torch
from lightning.pytorch import LightningModule
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import (
    MulticlassAUROC,
    MulticlassF1Score,
    MulticlassPrecision,
    MulticlassRecall,
)

from demo.findings.common import FIVE_AND_FOUR, FOUR_AND_FOUR, Model, loader, mine, trainer


class _Validated(Model):
    """Keeps F1; a subclass says how it is updated and logged."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.val_f1 = MulticlassF1Score(3, **options)


def _validate(model: LightningModule, shards: Any = FOUR_AND_FOUR, batch_size: int = 2) -> None:
    shard = loader(*mine(shards), batch_size=batch_size)
    trainer().validate(model, shard, verbose=False)


def updated_and_logged() -> None:
    class Module(_Validated):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_f1.update(*batch)
            self.log("f1", self.val_f1)

    _validate(Module())


def called_and_logged() -> None:
    class Module(_Validated):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_f1(*batch)
            self.log("f1", self.val_f1, on_step=False, on_epoch=True, prog_bar=True)

    _validate(Module())


def logged_per_step_and_epoch() -> None:
    class Module(_Validated):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_f1(*batch)
            self.log("f1", self.val_f1, on_step=True, on_epoch=True)

    _validate(Module())


def synced_on_step() -> None:
    class Module(_Validated):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_f1(*batch)
            self.log("f1", self.val_f1, on_step=True, on_epoch=True)

    _validate(Module(dist_sync_on_step=True))


def of_uneven_shards() -> None:
    class Module(_Validated):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_f1.update(*batch)
            self.log("f1", self.val_f1)

    _validate(Module(), FIVE_AND_FOUR)


def asked_to_sync() -> None:
    """Of no use, and of no harm."""

    class Module(_Validated):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_f1.update(*batch)
            self.log("f1", self.val_f1, sync_dist=True)

    _validate(Module(), FIVE_AND_FOUR)


def logged_at_epoch_end() -> None:
    class Module(_Validated):
        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_f1.update(*batch)

        def on_validation_epoch_end(self) -> None:
            self.log("f1", self.val_f1)

    _validate(Module(), FIVE_AND_FOUR)


def collected() -> None:
    class Module(Model):
        def __init__(self) -> None:
            super().__init__()
            scores = [MulticlassF1Score(3), MulticlassPrecision(3), MulticlassRecall(3)]
            self.val = MetricCollection(scores, prefix="val_")

        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val.update(*batch)
            self.log_dict(self.val)

    _validate(Module(), FIVE_AND_FOUR)


def collected_and_called() -> None:
    class Module(Model):
        def __init__(self) -> None:
            super().__init__()
            scores = [MulticlassF1Score(3), MulticlassPrecision(3), MulticlassRecall(3)]
            self.val = MetricCollection(scores, prefix="val_")

        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val(*batch)
            self.log_dict(self.val, on_step=True, on_epoch=True)

    _validate(Module())


def means_of_losses() -> None:
    class Module(Model):
        def __init__(self) -> None:
            super().__init__()
            self.val_loss = MeanMetric()

        def validation_step(self, batch: Any, batch_idx: int) -> None:
            self.val_loss.update(batch[0].float().mean(), weight=len(batch[0]))
            self.log("val_loss", self.val_loss)

    _validate(Module(), FIVE_AND_FOUR)


def binned_curves() -> None:
    class Module(Model):
        def __init__(self) -> None:
            super().__init__()
            self.auroc = MulticlassAUROC(3, thresholds=11)

        def validation_step(self, batch: Any, batch_idx: int) -> None:
            scores = torch.nn.functional.one_hot(batch[0], 3) * 0.6 + 0.1
            self.auroc.update(scores, batch[1])
            self.log("auroc", self.auroc)

    _validate(Module(), FIVE_AND_FOUR)


def in_a_dictionary_of_modules() -> None:
    class Module(Model):
        def __init__(self) -> None:
            super().__init__()
            self.scores: Any = torch.nn.ModuleDict(
                {"f1": MulticlassF1Score(3), "recall": MulticlassRecall(3)}
            )

        def validation_step(self, batch: Any, batch_idx: int) -> None:
            for name, score in self.scores.items():
                score.update(*batch)
                self.log(f"val/{name}", score)

    _validate(Module(), FIVE_AND_FOUR)
