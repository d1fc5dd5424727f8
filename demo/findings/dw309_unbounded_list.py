"""Why does ddpwatch show no global AUROC, and why does memory grow with every batch?

Without `thresholds`, the metric keeps every score it has seen. Such lists are not sent: the value
over all ranks is what Lightning logged, and nobody can check it. `--right` gives `thresholds=100`:
a state of fixed size, which adds up over ranks.
"""

from __future__ import annotations

from typing import Any

from torchmetrics.classification import BinaryAUROC

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"ranks": [0, 1], "key": "auroc", "numbers": ["2"]}
"""How many batches each rank's lists hold."""


class Wrong(Model):
    thresholds: int | None = None

    def __init__(self) -> None:
        super().__init__()
        self.auroc = BinaryAUROC(thresholds=self.thresholds)

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.auroc.update(*batch)
        self.log("auroc", self.auroc)


class Right(Wrong):
    thresholds = 100


def run(*, right: bool = False, **options: Any) -> None:
    """Validate three samples per rank: each rank's own AUROC is 0.5, that of all six 0.6667."""
    scores, labels = mine([([0.9, 0.8, 0.7], [1, 0, 1]), ([0.2, 0.1, 0.4], [1, 0, 0])])
    trainer(**options).validate(
        Right() if right else Wrong(), loader(scores, labels), verbose=False
    )


if __name__ == "__main__":
    main(run)
