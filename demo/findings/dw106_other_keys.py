"""Class 0 scores 1.0 and class 1 scores 2.0: why does the log say 1.5 for both?

The key's name depends on the batch, so rank 0 logs `cls_0` while rank 1 logs `cls_1`. A sync is
matched by its order alone: the two values are averaged, without any error, and with one key more
on one rank the job would hang. `--right` keeps a metric for each class, which every rank logs.
"""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics import MeanMetric

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "cls_0", "numbers": ["rank 0", "rank 1"]}
"""Rank 0 logs it, rank 1 does not."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.means: Any = torch.nn.ModuleList([MeanMetric(), MeanMetric()])

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        labels, scores = batch
        for label in labels.unique().tolist():
            self.log(f"cls_{label}", scores[labels == label].mean(), sync_dist=True)


class Right(Wrong):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        labels, scores = batch
        for label, mean in enumerate(self.means):
            mean.update(scores[labels == label])
            self.log(f"cls_{label}", mean)


def run(*, right: bool = False, **options: Any) -> None:
    """Validate one batch per rank: one of class 0, one of class 1."""
    labels, scores = mine([([0, 0], [1.0, 1.0]), ([1, 1], [2.0, 2.0])])
    trainer(**options).validate(
        Right() if right else Wrong(), loader(labels, scores), verbose=False
    )


if __name__ == "__main__":
    main(run)
