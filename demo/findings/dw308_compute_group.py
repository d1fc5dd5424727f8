"""Why do F1 at 0.5 and F1 at 0.9 have the very same value?

A `MetricCollection` compares the states after the first batch, and from then on updates only one of
those that are equal. The first batch had scores above 0.9 and below 0.5 only, so two thresholds
looked like one. `--right` says `compute_groups=False`.
"""

from __future__ import annotations

from typing import Any

from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryF1Score

from demo.findings.common import Model, loader, main, trainer

EXPECTED = {"key": "val.strict", "numbers": ["0.5", "0.9"]}
"""The two thresholds."""


class Wrong(Model):
    compute_groups = True

    def __init__(self) -> None:
        super().__init__()
        self.val = MetricCollection(
            {"lenient": BinaryF1Score(threshold=0.5), "strict": BinaryF1Score(threshold=0.9)},
            compute_groups=self.compute_groups,
        )

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val.update(*batch)

    def on_validation_epoch_end(self) -> None:
        self.log_dict(self.val.compute())
        self.val.reset()


class Right(Wrong):
    compute_groups = False


def run(*, right: bool = False, **options: Any) -> None:
    """Validate three batches per rank. Both F1 are 0.8571, or the strict one is 0.5."""
    samples = loader([0.95, 0.1, 0.7, 0.8, 0.6, 0.2], [1, 0, 1, 1, 0, 0])
    trainer(**options).validate(Right() if right else Wrong(), samples, verbose=False)


if __name__ == "__main__":
    main(run)
