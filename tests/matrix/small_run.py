"""What does every version run? Two ranks, two epochs, metrics used in each of the usual ways."""

from __future__ import annotations

import importlib
import os
import sys
import warnings

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MetricCollection
from torchmetrics.classification import (
    MulticlassConfusionMatrix,
    MulticlassF1Score,
    MulticlassPrecision,
    MulticlassRecall,
)

warnings.filterwarnings("ignore")
pl = importlib.import_module(os.environ.get("NAMESPACE", "pytorch_lightning"))

from ddpwatch_lightning import DDPWatch  # noqa: E402 - after the namespace that it is to join


def data(samples: int, seed: int) -> TensorDataset:
    """Points whose class is the nearest of three corners."""
    generator = torch.Generator().manual_seed(seed)
    points = torch.rand(samples, 2, generator=generator)
    corners = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]])
    return TensorDataset(points, torch.cdist(points, corners).argmin(dim=1))


class Model(pl.LightningModule):  # type: ignore[name-defined,misc]
    """Logs one collection as objects, and keeps one metric by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(2, 3)
        self.train_f1 = MulticlassF1Score(3)
        self.val = MetricCollection(
            {
                "f1": MulticlassF1Score(3),
                "precision": MulticlassPrecision(3, average="none"),
                "recall": MulticlassRecall(3, average="weighted"),
            }
        )
        self.by_hand = MulticlassConfusionMatrix(3)
        self.outputs: list[tuple[Tensor, Tensor]] = []

    def training_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> Tensor:
        logits = self.net(batch[0])
        self.train_f1(logits, batch[1])
        self.log("train_f1", self.train_f1, on_step=False, on_epoch=True)
        return nn.functional.cross_entropy(logits, batch[1])

    def validation_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> None:
        logits = self.net(batch[0])
        self.val.update(logits, batch[1])
        self.log("val_f1", self.val.f1, on_step=False, on_epoch=True)
        self.outputs.append((logits, batch[1]))

    def on_validation_epoch_end(self) -> None:
        for logits, target in self.outputs:
            self.by_hand.update(logits, target)
        self.by_hand.compute()
        self.by_hand.reset()
        self.val.precision.reset()
        self.val.recall.reset()
        self.outputs.clear()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.5)


def main() -> None:
    """Fit, then test nothing more: the report is the result."""
    torch.set_num_threads(1)
    pl.seed_everything(1)
    trainer = pl.Trainer(
        accelerator="cpu",
        devices=2,
        strategy="ddp",
        max_epochs=2,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[DDPWatch(name="small", every=1)],
    )
    trainer.fit(Model(), DataLoader(data(60, 1), 8), DataLoader(data(37, 2), 5))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
