"""Every prediction is right: how can the accuracy be 1.125?

To average over ranks, Lightning averages the numbers of samples too, 5 and 4, in an integer: 4.5
becomes 4. Every synced epoch mean is too large by 4.5 / 4, the loss as well. `--right` logs a
metric, which keeps sums and counts apart and divides them last.
"""

from __future__ import annotations

from typing import Any

from torchmetrics import MeanMetric

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "acc", "ranks": [0, 1], "numbers": ["1.125", "4.5"]}
"""The factor, which is the logged mean too, and the count that was cut."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.accuracy = MeanMetric()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        predictions, labels = batch
        self.log("acc", (predictions == labels).float().mean(), sync_dist=True)


class Right(Wrong):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        predictions, labels = batch
        self.accuracy.update((predictions == labels).float())
        self.log("acc", self.accuracy)


def run(*, right: bool = False, **options: Any) -> None:
    """Validate five samples on rank 0 and four on rank 1."""
    labels = mine([[0, 0, 1, 1, 2], [0, 1, 2, 2]])
    shard = loader(labels, labels, batch_size=5)
    trainer(**options).validate(Right() if right else Wrong(), shard, verbose=False)


if __name__ == "__main__":
    main(run)
