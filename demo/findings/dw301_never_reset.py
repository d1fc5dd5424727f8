"""Why does F1 not reach 1.0 although every prediction has been right for two epochs?

`compute()` by hand leaves the state where it is, so each epoch adds to the ones before, the sanity
check included. Lightning resets only metrics that `self.log` was given as objects. `--right` calls
`reset()` after `compute()`.
"""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics.classification import BinaryF1Score

from demo.findings.common import Model, loader, main, trainer

EXPECTED = {"key": "val_f1", "numbers": ["7", "2"], "beside": ["DW302"]}
"""Updates that each rank's state holds at the end, and those of the last epoch."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = BinaryF1Score()

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        late, label = batch
        learnt = late if self.current_epoch == 0 else torch.ones_like(label)
        self.val_f1.update(learnt, label)

    def on_validation_epoch_end(self) -> None:
        self.log("f1", self.val_f1.compute())


class Right(Wrong):
    def on_validation_epoch_end(self) -> None:
        self.log("f1", self.val_f1.compute())
        self.val_f1.reset()


def run(*, right: bool = False, **options: Any) -> None:
    """Train three epochs; the model is wrong in the first only. Ends with F1 0.7826, or 1.0."""
    trainer(**{"max_epochs": 3, "num_sanity_val_steps": 1, **options}).fit(
        Right() if right else Wrong(), loader([0, 0]), loader([0, 0, 0, 1], [1, 1, 1, 1])
    )


if __name__ == "__main__":
    main(run)
