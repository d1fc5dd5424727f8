"""How good is my multi-label model, on all ranks together? Asked in code as one often meets it.

Four questions about a digit: is it even, is it prime, does it have a loop, is it at least five?
`validation_step` returns what it predicted, a list gathers that by hand, and scikit-learn turns it
into F1, precision, recall and a threshold per label when the epoch ends. All of this is right on
one GPU. On several, every number is of one rank's share. Nothing here was changed to be watched,
but for the callback. `ddpwatch demo multilabel` shows it; docs/answer.md says what one then sees.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import warnings
from importlib.util import find_spec
from itertools import chain, zip_longest
from typing import Any

import numpy as np
import torch
from lightning_fabric.loggers.logger import rank_zero_experiment
from numpy.typing import NDArray
from pytorch_lightning import LightningModule, Trainer, seed_everything
from pytorch_lightning.loggers import CSVLogger, TensorBoardLogger
from pytorch_lightning.loggers.csv_logs import ExperimentWriter
from pytorch_lightning.loggers.logger import Logger
from sklearn.datasets import load_digits
from sklearn.metrics import f1_score, precision_recall_curve, precision_score, recall_score
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from ddpwatch_lightning import DDPWatch

LABELS = {
    "even": {0, 2, 4, 6, 8},
    "prime": {2, 3, 5, 7},
    "has a loop": {0, 6, 8, 9},
    "at least five": {5, 6, 7, 8, 9},
}
"""What is asked, and the digits for which it is so."""


class Digits(LightningModule):
    """One hidden layer, and a yes or no for each label."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, len(LABELS))
        )
        self.outputs: list[dict[str, Tensor]] = []

    def training_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> Tensor:
        images, labels = batch
        return nn.functional.binary_cross_entropy_with_logits(self.net(images), labels)

    def validation_step(self, batch: tuple[Tensor, Tensor], batch_idx: int) -> dict[str, Tensor]:
        images, labels = batch
        logits = self.net(images)
        loss = nn.functional.binary_cross_entropy_with_logits(logits, labels)
        output = {"loss": loss, "labels": labels, "predictions": logits.sigmoid()}
        self.outputs.append(output)
        found = (output["predictions"] > 0.5).cpu()
        f1 = f1_score(labels.cpu(), found, average="macro", zero_division=0)
        self.log("val_f1", f1, sync_dist=True)
        return output

    def on_validation_epoch_end(self) -> None:
        labels = torch.cat([output["labels"] for output in self.outputs]).cpu().numpy()
        scores = torch.cat([output["predictions"] for output in self.outputs]).cpu().numpy()
        print(f"epoch {self.current_epoch}: {len(self.outputs)} outputs gathered")
        self.outputs.clear()
        told = []
        for number, label in enumerate(LABELS):
            threshold = best_threshold(labels[:, number], scores[:, number])
            found = scores[:, number] >= threshold
            values = {
                "f1": f1_score(labels[:, number], found),
                "precision": precision_score(labels[:, number], found),
                "recall": recall_score(labels[:, number], found),
                "threshold": threshold,
            }
            for name, value in values.items():
                writer: Any = self.logger.experiment  # type: ignore[union-attr]
                writer.add_scalar(f"{name}/{label}", value, self.current_epoch)
            told.append(f"{label} {values['f1']:.3f} above {threshold:.2f}")
        if self.global_rank == 0:
            print(f"epoch {self.current_epoch}: F1 {', '.join(told)}")

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def best_threshold(labels: NDArray[np.float32], scores: NDArray[np.float32]) -> float:
    """Return the threshold that makes F1 highest."""
    precision, recall, thresholds = precision_recall_curve(labels, scores)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return float(thresholds[f1[:-1].argmax()])


def digits(ranks: int) -> tuple[TensorDataset, TensorDataset]:
    """Return training and validation sets: 1,436 and 361 images, an odd number.

    The validation set is laid out so that small digits are rather with the first ranks and large
    ones with the last, as in a set that was written in parts.
    """
    images, numbers = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(images))
    train, validate = order[361:], order[:361]
    roughly_sorted = validate[(numbers[validate] + rng.normal(0, 4, 361)).argsort()]
    dealt = chain.from_iterable(zip_longest(*np.array_split(roughly_sorted, ranks)))
    return pairs(images, numbers, train), pairs(
        images, numbers, np.array([index for index in dealt if index is not None])
    )


def pairs(
    images: NDArray[np.float64], numbers: NDArray[np.int64], of: NDArray[np.int64]
) -> TensorDataset:
    """Return pairs of an image in 0..1 and its labels, 0.0 or 1.0 each."""
    labels = np.stack([np.isin(numbers[of], list(digits)) for digits in LABELS.values()], axis=1)
    pixels = torch.tensor(images[of], dtype=torch.float32) / 16
    return TensorDataset(pixels, torch.tensor(labels, dtype=torch.float32))


class ScalarWriter(ExperimentWriter):
    """What TensorBoard's writer is asked for here, in a CSV file."""

    def add_scalar(self, tag: str, value: float, global_step: int) -> None:
        super().log_metrics({tag: value}, global_step)


class ScalarLogger(CSVLogger):
    """A stand-in for `TensorBoardLogger` where TensorBoard is not installed."""

    @property
    @rank_zero_experiment
    def experiment(self) -> Any:
        self._experiment = self._experiment or ScalarWriter(self.log_dir)
        return self._experiment


def make_logger(folder: str) -> Logger:
    """Return TensorBoard's logger, or the stand-in."""
    installed = find_spec("tensorboard") or find_spec("tensorboardX")
    return TensorBoardLogger(folder) if installed else ScalarLogger(folder)


def run(ranks: int, epochs: int, **options: Any) -> Digits:
    """Train on as many CPU processes as asked for; `options` are the Trainer's."""
    seed_everything(0)
    train, validate = digits(ranks)
    module = Digits()
    watch = DDPWatch(
        name="digits-multilabel",
        every=1,
        shadow={
            "task": "multilabel",
            "labels": list(LABELS),
            "preds": "predictions",
            "target": "labels",
            "search": True,
        },
    )
    with tempfile.TemporaryDirectory() as folder:
        Trainer(
            accelerator="cpu",
            devices=ranks,
            strategy="ddp" if ranks > 1 else "auto",
            max_epochs=epochs,
            callbacks=[watch],
            logger=make_logger(folder),
            num_sanity_val_steps=0,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            **options,
        ).fit(
            module,
            DataLoader(train, batch_size=16, shuffle=True),
            DataLoader(validate, batch_size=8),
        )
    return module


def quiet() -> None:
    """Leave the terminal to the dashboard: no advice about workers, and one thread per rank."""
    warnings.filterwarnings("ignore")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    torch.set_num_threads(1)
    for name in ("pytorch_lightning", "lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=10)
    arguments = parser.parse_args()
    quiet()
    run(arguments.ranks, arguments.epochs)
