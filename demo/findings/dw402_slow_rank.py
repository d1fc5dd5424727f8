"""Why is the job only as fast as a quarter of its GPUs should be, with all ranks equally slow?

Rank 1 reads from a slow disk. In DDP every rank waits for the last one in the backward pass, so all
step times are alike; the slow rank is the one that does not wait. `--right` has a cache there.
"""

from __future__ import annotations

import time
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from demo.findings.common import Model, main, mine, trainer

EXPECTED = {"ranks": [1], "numbers": ["rank 1"]}
"""The slow rank."""


class Images(Dataset[Tensor]):
    """Three hundred images that take `seconds` each to read."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __len__(self) -> int:
        return 300

    def __getitem__(self, index: int) -> Tensor:
        time.sleep(self.seconds)
        return torch.ones(8)


class Wrong(Model):
    seconds = (0.001, 0.02)

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight * batch.mean()


class Right(Wrong):
    seconds = (0.001, 0.001)


def run(*, right: bool = False, **options: Any) -> None:
    """Train 150 steps of two images."""
    model = Right() if right else Wrong()
    trainer(**options).fit(model, DataLoader(Images(mine(model.seconds)), batch_size=2))


if __name__ == "__main__":
    main(run)
