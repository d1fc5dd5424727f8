"""Why is the F1 in my log higher than the one I work out over the whole validation set?

What a metric returns when called is one rank's own number. Logged as it is, it stays that: rank 0's
0.8222 reaches the logger, rank 1's 0.4444 is seen by nobody, and over all samples F1 is 0.6794.
`--right` logs the metric itself, which adds up the counts of all ranks before it divides.
"""

from __future__ import annotations

from typing import Any

from torchmetrics.classification import MulticlassF1Score

from demo.findings.common import FIVE_AND_FOUR, Model, loader, main, mine, trainer

EXPECTED = {"key": "f1", "ranks": [0, 1], "numbers": ["0.8222", "0.4444", "0.6794"]}
"""Each rank's own F1, and that of all samples."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = MulticlassF1Score(3)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        predictions, labels = batch
        self.log("f1", self.val_f1(predictions, labels))


class Right(Wrong):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        predictions, labels = batch
        self.val_f1.update(predictions, labels)
        self.log("f1", self.val_f1)


def run(*, right: bool = False, **options: Any) -> None:
    """Validate one batch per rank, of five samples and of four."""
    shard = loader(*mine(FIVE_AND_FOUR), batch_size=5)
    trainer(**options).validate(Right() if right else Wrong(), shard, verbose=False)


if __name__ == "__main__":
    main(run)
