"""Why does the job hang at the end of validation, on the full data set only?

A list state without a reduction is gathered element by element, so every rank must hold as many:
with two batches on rank 0 and one on rank 1, rank 0 waits in `compute()` for a gather that rank 1
never enters. `--right` declares `"cat"`: each rank joins its list first, and lengths may differ.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import torch
from lightning.pytorch.strategies import DDPStrategy
from torch import Tensor
from torchmetrics import Metric

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "median", "numbers": ["2", "1"], "beside": ["DW401"]}
"""How long the list is on each rank."""


class Median(Metric):
    """The median of all values, for which all of them are needed."""

    values: list[Tensor] | Tensor

    def __init__(self, reduction: str | None) -> None:
        super().__init__()
        self.add_state("values", default=[], dist_reduce_fx=reduction)

    def update(self, values: Tensor) -> None:
        self.values.append(values)  # type: ignore[union-attr]

    def compute(self) -> Tensor:
        lists = self.values if isinstance(self.values, list) else [self.values]
        return torch.cat([values.reshape(-1) for values in lists]).median()


class Wrong(Model):
    reduction: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.median = Median(self.reduction)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.median.update(batch)
        self.log("median", self.median)


class Right(Wrong):
    reduction = "cat"


def run(*, right: bool = False, **options: Any) -> None:
    """Validate. GPUs wait for half an hour; here rank 1 ends, and rank 0 loses the connection."""
    strategy = DDPStrategy(timeout=timedelta(seconds=10))
    values = mine([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0]])
    trainer(**{"strategy": strategy, **options}).validate(
        Right() if right else Wrong(), loader(values), verbose=False
    )


if __name__ == "__main__":
    main(run)
