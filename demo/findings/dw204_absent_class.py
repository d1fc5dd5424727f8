"""Why is macro F1 0.5556 on each rank, when it is 0.7190 over all of them?

The set is sorted by class, and each rank has a part of it in which one class does not occur. A
wrong guess at that class scores 0, for there is no right one to weigh against it. The value over
all ranks does not suffer. `--right` deals the same samples out in turn.
"""

from __future__ import annotations

from typing import Any

from torchmetrics.classification import MulticlassF1Score

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "val_f1", "ranks": [0, 1], "numbers": ["rank 0", "class 2", "class 0"]}
"""Which class each rank lacks."""

SORTED = (([0, 0, 1, 2], [0, 0, 1, 1]), ([1, 1, 2, 0], [1, 1, 2, 2]))
IN_TURN = (([0, 1, 1, 2], [0, 1, 1, 2]), ([0, 2, 1, 0], [0, 1, 1, 2]))
"""The same eight pairs of a prediction and a label."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = MulticlassF1Score(3)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)
        self.log("f1", self.val_f1)


Right = Wrong


def run(*, right: bool = False, **options: Any) -> None:
    """Validate two batches of two samples on each rank."""
    shard = loader(*mine(IN_TURN if right else SORTED))
    trainer(**options).validate(Wrong(), shard, verbose=False)


if __name__ == "__main__":
    main(run)
