"""`compute()` is global: why is the epoch's F1 not what it returned last?

In every step it returns the F1 of all that came so far, and Lightning takes the mean of these: the
early samples count several times. 0.4841 is logged where the last value was 0.6349. `--right` logs
once, when the epoch is over.
"""

from __future__ import annotations

from typing import Any

from torchmetrics.classification import MulticlassF1Score

from demo.findings.common import FOUR_AND_FOUR, Model, loader, main, mine, trainer

EXPECTED = {"key": "f1", "numbers": ["0.4841", "0.6349"]}
"""The mean of the two running values, and the last of them."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = MulticlassF1Score(3)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)
        self.log("f1", self.val_f1.compute())

    def on_validation_epoch_end(self) -> None:
        self.val_f1.reset()


class Right(Wrong):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)

    def on_validation_epoch_end(self) -> None:
        self.log("f1", self.val_f1.compute())
        self.val_f1.reset()


def run(*, right: bool = False, **options: Any) -> None:
    """Validate two batches of two samples on each rank."""
    shard = loader(*mine(FOUR_AND_FOUR), batch_size=2)
    trainer(**options).validate(Right() if right else Wrong(), shard, verbose=False)


if __name__ == "__main__":
    main(run)
