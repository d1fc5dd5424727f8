"""Why is the first epoch's accuracy lower than that of any later epoch?

The hook passes over the sanity check, and so does the `reset()` at its end: the two batches of an
untrained model are counted in the first epoch. `--right` resets before it returns.
"""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics.classification import BinaryAccuracy

from demo.findings.common import Model, loader, main, trainer

EXPECTED = {"key": "val_acc", "numbers": ["2"]}
"""Updates of the sanity check that the first epoch holds besides its own two."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_acc = BinaryAccuracy()

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        learnt = torch.zeros_like(batch) if self.trainer.sanity_checking else batch
        self.val_acc.update(learnt, batch)

    def on_validation_epoch_end(self) -> None:
        if self.trainer.sanity_checking:
            return
        self.log("acc", self.val_acc.compute())
        self.val_acc.reset()


class Right(Wrong):
    def on_validation_epoch_end(self) -> None:
        if self.trainer.sanity_checking:
            self.val_acc.reset()
            return
        super().on_validation_epoch_end()


def run(*, right: bool = False, **options: Any) -> None:
    """Train two epochs. Accuracy is 0.5 and 1.0, or 1.0 and 1.0."""
    trainer(**{"max_epochs": 2, "num_sanity_val_steps": 2, **options}).fit(
        Right() if right else Wrong(), loader([0, 0]), loader([1, 1, 1, 1])
    )


if __name__ == "__main__":
    main(run)
