"""Why do F1 at 0.5 and F1 at 0.9 have the very same value?

A `MetricCollection` compares the states after the first batch, and from then on updates only one of
those that are equal. The first batch had scores above 0.9 and below 0.5 only, so two thresholds
looked like one. `--right` says `compute_groups=False`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryF1Score

from demo.findings.common import Model, main, trainer

EXPECTED = {"key": "val.strict", "numbers": ["0.5", "0.9"]}
"""The two thresholds."""


class Wrong(Model):
    def __init__(self, compute_groups: bool = True) -> None:
        super().__init__()
        self.val = MetricCollection(
            {"lenient": BinaryF1Score(threshold=0.5), "strict": BinaryF1Score(threshold=0.9)},
            compute_groups=compute_groups,
        )

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val.update(*batch)

    def on_validation_epoch_end(self) -> None:
        self.log_dict(self.val.compute())
        self.val.reset()


class Right(Wrong):
    def __init__(self) -> None:
        super().__init__(compute_groups=False)


def run(right: bool = False, **options: Any) -> None:
    """Validate two batches per rank. Both F1 are 0.8571, or the strict one is 0.4."""
    scores = torch.tensor([0.95, 0.1, 0.7, 0.8, 0.6, 0.2])
    labels = torch.tensor([1, 0, 1, 1, 0, 0])
    loader = DataLoader(list(zip(scores, labels, strict=True)), batch_size=2)
    trainer(**options).validate(Right() if right else Wrong(), loader, verbose=False)


if __name__ == "__main__":
    main(run)
