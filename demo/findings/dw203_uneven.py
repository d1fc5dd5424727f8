"""Six samples with a loss of 1 and four with a loss of 2: why is their mean 1.5 and not 1.4?

Each rank averages its own samples at the end of the epoch, and the sync averages the two means: a
rank with fewer samples counts as much as one with more. `--right` logs in `validation_step`, where
Lightning knows the size of each batch and weights by it.
"""

from __future__ import annotations

from typing import Any

import torch

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {
    "ranks": [0, 1], "numbers": ["6", "4", "val_loss"], "severity": "warning", "stays": "info",
}  # fmt: skip
"""Samples of each rank, and the key that counts them wrongly. That they differ stays true."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.losses: list[torch.Tensor] = []

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.losses.append(batch)

    def on_validation_epoch_end(self) -> None:
        self.log("val_loss", torch.cat(self.losses).mean(), sync_dist=True)
        self.losses.clear()


class Right(Model):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.log("val_loss", batch.mean(), sync_dist=True)


def run(*, right: bool = False, **options: Any) -> None:
    """Validate three batches on rank 0 and two on rank 1."""
    losses = mine([[1.0] * 6, [2.0] * 4])
    trainer(**options).validate(Right() if right else Wrong(), loader(losses), verbose=False)


if __name__ == "__main__":
    main(run)
