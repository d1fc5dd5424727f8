"""What do tests train? Small modules and data, and a Trainer for whichever ranks there are."""

from __future__ import annotations

import os
import warnings
from typing import Any

import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import (
    MulticlassConfusionMatrix,
    MulticlassF1Score,
    MulticlassPrecision,
    MulticlassRecall,
)

CLASSES = 3


def world_size() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


def rank() -> int:
    return int(os.environ.get("RANK", "0"))


def trainer(*callbacks: Any, cls: Any = pl.Trainer, **options: Any) -> Any:
    """A Trainer for all ranks that writes and prints nothing."""
    warnings.simplefilter("ignore")
    defaults: dict[str, Any] = {
        "accelerator": "cpu",
        "devices": world_size(),
        "strategy": "ddp" if world_size() > 1 else "auto",
        "max_epochs": 1,
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    return cls(callbacks=list(callbacks), **{**defaults, **options})


def dataset(samples: int, seed: int = 0) -> TensorDataset:
    generator = torch.Generator().manual_seed(seed)
    inputs = torch.randn(samples, 4, generator=generator)
    return TensorDataset(inputs, torch.randint(0, CLASSES, (samples,), generator=generator))


def loader(samples: int, batch_size: int = 4, seed: int = 0, **options: Any) -> Any:
    return DataLoader(dataset(samples, seed), batch_size=batch_size, **options)


def predictions(preds: list[int], labels: list[int], batch_size: int) -> Any:
    """A loader of ready predictions, for `Judge`."""
    return DataLoader(TensorDataset(torch.tensor(preds), torch.tensor(labels)), batch_size)


class Model(pl.LightningModule):
    """A linear classifier with metrics logged as objects, by hand, and from tensors."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(7)
        self.layer = torch.nn.Linear(4, CLASSES)
        self.train_f1 = MulticlassF1Score(CLASSES)
        self.val = MetricCollection(
            {"f1": MulticlassF1Score(CLASSES), "recall": MulticlassRecall(CLASSES)}, prefix="val_"
        )
        self.by_hand = MulticlassPrecision(CLASSES)
        self.test_matrix = MulticlassConfusionMatrix(CLASSES)

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        inputs, target = batch
        scores = self.layer(inputs)
        loss = torch.nn.functional.cross_entropy(scores, target)
        self.train_f1(scores, target)
        self.log("train_f1", self.train_f1, on_step=True, on_epoch=True)
        self.log("loss", loss, sync_dist=True)
        return loss

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        inputs, target = batch
        scores = self.layer(inputs)
        self.val.update(scores, target)
        self.by_hand.update(scores, target)
        loss = torch.nn.functional.cross_entropy(scores, target)
        self.log("val_loss", loss, sync_dist=True, add_dataloader_idx=True)

    def on_validation_epoch_end(self) -> None:
        self.log_dict(self.val.compute())
        self.val.reset()
        self.log("by_hand", self.by_hand.compute())
        self.by_hand.reset()

    def test_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        inputs, target = batch
        self.test_matrix.update(self.layer(inputs), target)

    def on_test_epoch_end(self) -> None:
        self.test_matrix.compute()
        self.test_matrix.reset()

    def predict_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> Any:
        return self.layer(batch[0])

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Judge(pl.LightningModule):
    """Validates ready predictions; what is done with the metric is up to subclasses."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.f1 = MulticlassF1Score(CLASSES)
        self.loss = MeanMetric()

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.f1.update(*batch)
        self.log("f1", self.f1)

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.layer(torch.ones(1, 1)).sum()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.1)
