"""Why does the model stop learning while the loss in the log looks fine?

One batch of rank 1 has no labelled sample, and a mean over none is not a number. The log shows rank
0's value only, where all is well. `--right` passes over such a batch.
"""

from __future__ import annotations

from typing import Any

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "val_loss", "ranks": [1], "numbers": ["1", "4"]}
"""How many values were not finite, of how many."""


class Wrong(Model):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        labelled = batch >= 0
        self.log("val_loss", labelled.float().sum() / labelled.sum())


class Right(Wrong):
    def validation_step(self, batch: Any, batch_idx: int) -> None:
        if (batch >= 0).any():
            super().validation_step(batch, batch_idx)


def run(*, right: bool = False, **options: Any) -> None:
    """Validate two batches per rank; -1 says that a sample has no label."""
    labels = mine([[0, 1, -1, 1], [-1, -1, 0, 1]])
    trainer(**options).validate(Right() if right else Wrong(), loader(labels), verbose=False)


if __name__ == "__main__":
    main(run)
