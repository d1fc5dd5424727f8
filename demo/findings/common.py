"""How does a script of a finding train? On two CPU processes, quietly, with ddpwatch looking on.

Run one from the top of the source tree, with `ddpwatch serve` in another terminal:
`python -m demo.findings.dw301_never_reset`, and its right twin with `--right`.
"""

from __future__ import annotations

import argparse
import logging
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from lightning.pytorch import LightningModule, Trainer
from torch.utils.data import DataLoader

from ddpwatch_lightning import DDPWatch

T = TypeVar("T")

FIVE_AND_FOUR = (
    ([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]),
    ([0, 1, 2, 2], [0, 0, 1, 2]),
)
"""Predictions and labels of two ranks, three classes. Macro F1 is 0.8222, 0.4444, of all 0.6794."""

FOUR_AND_FOUR = (
    ([0, 0, 1, 1], [0, 1, 1, 1]),
    ([0, 1, 2, 2], [0, 0, 1, 2]),
)
"""The same without rank 0's last sample. Macro F1 is 0.7333, 0.4444, of all 0.6349."""


class Model(LightningModule):
    """What all scripts share: one weight, so that there is something to train."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.0)


def trainer(**options: Any) -> Trainer:
    """Return a Trainer on two ranks; `options` replace or extend what it is made with."""
    quiet: dict[str, Any] = {
        "accelerator": "cpu", "devices": 2, "strategy": "ddp", "max_epochs": 1,
        "logger": False, "enable_checkpointing": False, "enable_progress_bar": False,
        "enable_model_summary": False, "num_sanity_val_steps": 0,
        "use_distributed_sampler": False, "callbacks": [DDPWatch(every=1)],
    }  # fmt: skip
    return Trainer(**{**quiet, **options})


def loader(*columns: Any, batch_size: int = 2) -> DataLoader[Any]:
    """Return a loader over samples that have one value in each of `columns`."""
    tensors = [torch.as_tensor(column) for column in columns]
    samples: Any = list(zip(*tensors, strict=True)) if len(tensors) > 1 else tensors[0]
    return DataLoader(samples, batch_size)


def mine(shares: Sequence[T]) -> T:
    """Return this rank's share; a process that no launcher started is rank 0."""
    return shares[int(os.environ.get("LOCAL_RANK", "0"))]


def main(run: Callable[..., None]) -> None:
    """Run a script's `run` as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--right", action="store_true", help="the twin that is right")
    right = parser.parse_args().right
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    run(right=right)
