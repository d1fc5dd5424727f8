"""I turned `sync_dist` on and all ranks agree now: why does F1 still change with the batch size?

A sync of a number averages numbers, and the mean of the ranks' F1 is not the F1 of all samples:
0.5889 here, 0.5 with two samples per batch, where the truth is 0.6349 both times. That all ranks
agree proves nothing. `--right` logs the metric itself, which syncs its counts.
"""

from __future__ import annotations

from typing import Any

from torchmetrics.classification import MulticlassF1Score

from demo.findings.common import FOUR_AND_FOUR, Model, loader, main, mine, trainer

EXPECTED = {"key": "f1", "ranks": [0, 1], "numbers": ["0.5889", "0.6349"]}
"""The mean of the ranks' F1, and that of all samples."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = MulticlassF1Score(3)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        predictions, labels = batch
        self.log("f1", self.val_f1(predictions, labels), sync_dist=True)


class Right(Wrong):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        predictions, labels = batch
        self.val_f1.update(predictions, labels)
        self.log("f1", self.val_f1)


def run(*, right: bool = False, batch_size: int = 4, **options: Any) -> None:
    """Validate four samples per rank."""
    shard = loader(*mine(FOUR_AND_FOUR), batch_size=batch_size)
    trainer(**options).validate(Right() if right else Wrong(), shard, verbose=False)


if __name__ == "__main__":
    main(run)
