"""Lightning advises `sync_dist=True` for my computed F1: why is it above 1 when I follow?

What `compute()` returns is the value over all ranks already, the same on each of them. Reduced
again, its sum is twice as much on two ranks: 1.3587 for 0.6794. `--right` logs it without a sync
and lets the advice be.
"""

from __future__ import annotations

from typing import Any

from torchmetrics.classification import MulticlassF1Score

from demo.findings.common import FIVE_AND_FOUR, Model, loader, main, mine, trainer

EXPECTED = {"key": "f1", "ranks": [0, 1], "numbers": ["1.359", "0.6794"]}
"""The sum of two global values, and one of them."""


class Wrong(Model):
    again: dict[str, Any] = {"sync_dist": True, "reduce_fx": "sum"}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = MulticlassF1Score(3)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)

    def on_validation_epoch_end(self) -> None:
        self.log("f1", self.val_f1.compute(), **self.again)
        self.val_f1.reset()


class Right(Wrong):
    again = {}  # noqa: RUF012


def run(*, right: bool = False, **options: Any) -> None:
    """Validate one batch per rank, of five samples and of four."""
    shard = loader(*mine(FIVE_AND_FOUR), batch_size=5)
    trainer(**options).validate(Right() if right else Wrong(), shard, verbose=False)


if __name__ == "__main__":
    main(run)
