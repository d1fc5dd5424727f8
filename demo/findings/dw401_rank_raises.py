"""Why did the job end with a broken connection, and where did it begin?

Rank 1 meets a label that its loss has no class for. What rank 0 reports half a second later is only
that its neighbour is gone, and that is what most logs end with. `--right` passes over such samples.
"""

from __future__ import annotations

from typing import Any

import torch

from demo.findings.common import Model, loader, main, mine, trainer

EXPECTED = {"key": "", "numbers": ["1"]}
"""The rank that failed first."""

CLASSES = 3


class Wrong(Model):
    def training_step(self, batch: Any, batch_idx: int) -> Any:
        scores = self.weight * torch.ones(len(batch), CLASSES)
        return torch.nn.functional.cross_entropy(scores, batch)


class Right(Wrong):
    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return super().training_step(batch[batch < CLASSES], batch_idx)


def run(*, right: bool = False, **options: Any) -> None:
    """Train three batches; the wrong one ends in an exception in rank 1's second."""
    labels = mine([[0, 1, 2, 0, 1, 2], [0, 1, 7, 0, 1, 2]])
    trainer(**options).fit(Right() if right else Wrong(), loader(labels))


if __name__ == "__main__":
    main(run)
