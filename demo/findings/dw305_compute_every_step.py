"""Why does training crawl since I log F1 of every step?

`compute()` gathers the states of all ranks, so that every step waits for all of them, once per
state. `--right` logs the object for the epoch: one reduction at its end.
"""

from __future__ import annotations

from typing import Any

from torchmetrics.classification import BinaryF1Score

from demo.findings.common import Model, loader, main, trainer

EXPECTED = {"ranks": [0, 1], "key": "f1", "numbers": ["8"]}


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.train_f1 = BinaryF1Score()

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        self.train_f1.update(*batch)
        self.log("f1", self.train_f1.compute(), on_step=True, on_epoch=False)
        return self.weight

    def on_train_epoch_end(self) -> None:
        self.train_f1.reset()


class Right(Wrong):
    def training_step(self, batch: Any, batch_idx: int) -> Any:
        self.train_f1.update(*batch)
        self.log("f1", self.train_f1, on_step=False, on_epoch=True)
        return self.weight

    def on_train_epoch_end(self) -> None:
        """Lightning resets what was logged as an object."""


def run(*, right: bool = False, **options: Any) -> None:
    """Train one epoch of 8 steps."""
    trainer(**options).fit(Right() if right else Wrong(), loader([1] * 16, [0, 1] * 8))


if __name__ == "__main__":
    main(run)
