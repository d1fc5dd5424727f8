"""Does a small CNN read handwritten digits, and does every rank think so? A DDP run worth watching.

Run it as it is (`python demo/train.py --ranks 4`) with `ddpwatch serve` in another terminal, or let
`ddpwatch demo` do both. The data are scikit-learn's digits: real, small, and shipped with it.
"""

from __future__ import annotations

import argparse
import logging
import os
import warnings

import numpy as np
import torch
from numpy.typing import NDArray
from pytorch_lightning import LightningModule, Trainer, seed_everything
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MetricCollection
from torchmetrics.classification import (
    MulticlassF1Score,
    MulticlassPrecision,
    MulticlassRecall,
)

from ddpwatch_lightning import DDPWatch

CLASSES = 10


def digits(ranks: int) -> tuple[TensorDataset, TensorDataset]:
    """Return training and validation sets: 1,436 and 361 images of 8 x 8.

    361 divides by none of 2, 3 and 4. The validation set is laid out so that ranks, which take
    every `ranks`-th sample, see the classes in different proportions, as real shards do.
    """
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    train, validate = order[361:], order[:361]
    validate = skewed(validate, labels[validate], ranks)
    return pairs(images[train], labels[train]), pairs(images[validate], labels[validate])


def skewed(indices: NDArray[np.int64], labels: NDArray[np.int64], ranks: int) -> NDArray[np.int64]:
    """Reorder `indices` so that those of each rank prefer some of the ten classes."""
    rng = np.random.default_rng(1)
    places = np.arange(len(indices)) % ranks * CLASSES / ranks
    liking = -np.abs(labels[:, None] - places[None, :]) + rng.gumbel(size=(len(indices),) * 2)
    taken = np.full(len(indices), -1)
    free = np.ones(len(indices), dtype=bool)
    for place in range(len(indices)):
        taken[place] = np.where(free, liking[:, place], -np.inf).argmax()
        free[taken[place]] = False
    return np.asarray(indices[taken])


def pairs(images: NDArray[np.float64], labels: NDArray[np.int64]) -> TensorDataset:
    """Return pairs of an image (1, 8, 8) in 0..1 and its digit."""
    pixels = torch.tensor(images, dtype=torch.float32).reshape(-1, 1, 8, 8) / 16
    return TensorDataset(pixels, torch.tensor(labels))


class Digits(LightningModule):
    """Two convolutions and a linear layer."""

    class_names = tuple(str(digit) for digit in range(CLASSES))

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Dropout(0.3),
            nn.Linear(32 * 16, CLASSES),
        )
        self.val = MetricCollection(
            {
                "f1": MulticlassF1Score(CLASSES, average="macro"),
                "precision": MulticlassPrecision(CLASSES, average="macro"),
                "recall": MulticlassRecall(CLASSES, average="macro"),
            },
            prefix="val_",
        )

    def training_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> Tensor:
        images, labels = batch
        return nn.functional.cross_entropy(self.net(images), labels)

    def validation_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> None:
        images, labels = batch
        self.val.update(self.net(images), labels)
        self.log_dict(self.val)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main() -> None:
    """Train on as many CPU processes as asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=20)
    arguments = parser.parse_args()
    quiet()
    seed_everything(0)
    train, validate = digits(arguments.ranks)
    trainer = Trainer(
        accelerator="cpu",
        devices=arguments.ranks,
        strategy="ddp" if arguments.ranks > 1 else "auto",
        max_epochs=arguments.epochs,
        callbacks=[DDPWatch(name="digits-cnn", every=1)],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(
        Digits(),
        DataLoader(train, batch_size=16, shuffle=True),
        DataLoader(validate, batch_size=8),
    )


def quiet() -> None:
    """Leave the terminal to the dashboard: no advice about workers, and one thread per rank."""
    warnings.filterwarnings("ignore")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    torch.set_num_threads(1)
    for name in ("pytorch_lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)


if __name__ == "__main__":
    main()
