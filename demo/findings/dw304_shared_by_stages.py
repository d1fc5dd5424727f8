"""Why is my training F1 0.0 when the model fits its training data perfectly?

One metric object serves training and validation, and validation runs inside the training epoch: it
counts the training batches as its own, and its reset at the end takes them away from training.
`--right` has one metric per stage.
"""

from __future__ import annotations

from typing import Any

from torchmetrics.classification import BinaryF1Score

from demo.findings.common import Model, loader, main, trainer

EXPECTED = {"key": "f1", "numbers": ["3", "2"]}
"""Updates that the metric holds after a validation, and those that validation made."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.f1 = BinaryF1Score()
        self.val_f1 = self.f1

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        self.f1.update(*batch)
        self.log("train_f1", self.f1, on_step=False, on_epoch=True)
        return self.weight

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)
        self.log("val_f1", self.val_f1)


class Right(Wrong):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = BinaryF1Score()


def run(*, right: bool = False, **options: Any) -> None:
    """Train one epoch with two validations. Train F1 is 0.0 and val F1 0.6667, or 1.0 and 0.4."""
    trainer(**{"val_check_interval": 0.5, **options}).fit(
        Right() if right else Wrong(),
        loader([1, 1, 1, 1], [1, 1, 1, 1]),
        loader([0, 0, 0, 1], [1, 1, 1, 1]),
    )


if __name__ == "__main__":
    main(run)
