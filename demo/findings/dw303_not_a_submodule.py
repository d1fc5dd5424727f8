"""Why does Lightning neither move nor reset my metrics, and refuse to log them?

They are kept in a plain dict, so they are no part of the module: their states stay on the CPU when
the module goes to a GPU, and nothing resets them. On CPU all seems well. `--right` keeps them in a
`ModuleDict`.
"""

from __future__ import annotations

from typing import Any

from torch import nn
from torchmetrics.classification import BinaryF1Score, BinaryRecall

from demo.findings.common import Model, loader, main, trainer

EXPECTED = {"key": "metrics.f1", "ranks": [0, 1], "numbers": []}


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.metrics: Any = {"f1": BinaryF1Score(), "recall": BinaryRecall()}

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        for metric in self.metrics.values():
            metric.update(*batch)

    def on_validation_epoch_end(self) -> None:
        for name, metric in self.metrics.items():
            self.log(name, metric.compute())
            metric.reset()


class Right(Wrong):
    def __init__(self) -> None:
        super().__init__()
        self.metrics = nn.ModuleDict(self.metrics)


def run(*, right: bool = False, **options: Any) -> None:
    """Validate once."""
    trainer(**options).validate(
        Right() if right else Wrong(), loader([0, 1, 1, 1], [0, 1, 0, 1]), verbose=False
    )


if __name__ == "__main__":
    main(run)
