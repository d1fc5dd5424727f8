"""Why does F1 in the log differ from `compute()`, on a single GPU?

Called, a metric returns the F1 of that batch, and Lightning averages what it is given over the
batches. A batch without a class counts as much as any other: 0.6667 is logged where the F1 of the
four samples is 0.7333. `--right` logs the metric itself, and no average is taken.
"""

from __future__ import annotations

from typing import Any

from torchmetrics.classification import MulticlassF1Score

from demo.findings.common import FOUR_AND_FOUR, Model, loader, main, trainer

EXPECTED = {"key": "f1", "numbers": ["0.6667", "0.7333"], "world_size": 1}
"""The mean over two batches, and the F1 of all samples. On more ranks, DW101 comes first."""


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
    """Validate two batches of two samples on one device."""
    one: dict[str, Any] = {"devices": 1, "strategy": "auto", **options}
    trainer(**one).validate(
        Right() if right else Wrong(), loader(*FOUR_AND_FOUR[0], batch_size=2), verbose=False
    )


if __name__ == "__main__":
    main(run)
