"""Why are two of my metrics wrong on all ranks, and right on a single GPU?

The metrics are made in the order of a set, which Python shuffles anew in every process, and ranks
reduce them one after the other: rank 0's `box` is added to rank 1's `cls`. `--right` sorts them.
"""

from __future__ import annotations

from typing import Any

from torch import nn
from torchmetrics import MeanMetric

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "", "ranks": [1], "numbers": ["losses.cls"]}

VALUES = {"box": 1.0, "cls": 3.0}


def of_a_set() -> list[str]:
    """The names as a set gives them on these ranks: it depends on the process, here on purpose."""
    return mine([["box", "cls"], ["cls", "box"]])


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.losses = nn.ModuleDict({name: MeanMetric() for name in self.names()})

    def names(self) -> list[str]:
        return of_a_set()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        for name, metric in self.losses.items():
            metric.update(VALUES[name])  # type: ignore[operator]
            self.log(name, metric)  # type: ignore[arg-type]


class Right(Wrong):
    def names(self) -> list[str]:
        return sorted(of_a_set())


def run(*, right: bool = False, **options: Any) -> None:
    """Validate: box and cls are both 2.0, or 1.0 and 3.0."""
    trainer(**options).validate(Right() if right else Wrong(), loader([0, 0]), verbose=False)


if __name__ == "__main__":
    main(run)
