"""My own metric is reduced by torchmetrics and the same on all ranks: why is it still not F1?

Its state is an F1 already, added up batch by batch and averaged over the ranks: 0.6333, where the
counts of all ranks give 0.6794. `--right` keeps the counts, and divides in `compute()`.
"""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics import Metric
from torchmetrics.classification import MulticlassF1Score
from torchmetrics.functional.classification import multiclass_f1_score

from demo.findings.common import FIVE_AND_FOUR, Model, loader, main, mine, trainer

EXPECTED = {"key": "val_f1", "numbers": ["'f1'", "0.8222", "0.4444", "0.6333"]}
"""The metric, its state that is no count, what that is on both ranks, and what is logged."""


class AverageF1(Metric):
    f1: torch.Tensor
    batches: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.add_state("f1", default=torch.tensor(0.0), dist_reduce_fx="mean")
        self.add_state("batches", default=torch.tensor(0.0), dist_reduce_fx="mean")

    def update(self, predictions: torch.Tensor, labels: torch.Tensor) -> None:
        self.f1 += multiclass_f1_score(predictions, labels, num_classes=3)
        self.batches += 1

    def compute(self) -> torch.Tensor:
        return self.f1 / self.batches


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1: Metric = AverageF1()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)
        self.log("f1", self.val_f1)


class Right(Wrong):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = MulticlassF1Score(3)


def run(*, right: bool = False, **options: Any) -> None:
    """Validate one batch per rank, of five samples and of four."""
    shard = loader(*mine(FIVE_AND_FOUR), batch_size=5)
    trainer(**options).validate(Right() if right else Wrong(), shard, verbose=False)


if __name__ == "__main__":
    main(run)
