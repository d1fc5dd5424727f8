"""Why does accuracy on the same five images change with the number of GPUs?

A DistributedSampler gives every rank equally many samples, so of five on two ranks it takes the
first one twice; being a false positive, it pulls F1 from 0.6667 to 0.5714. `--right` lets each rank
take every second sample and repeats none. Metric objects do not mind that ranks see 3 and 2; a
training loop would.
"""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader
from torchmetrics.classification import BinaryF1Score

from demo.findings.common import Model, main, mine, trainer

EXPECTED = {"numbers": ["6", "5", "1 sample"]}
"""Samples counted, samples in the set, and how many of them twice."""

PREDICTIONS, LABELS = [1, 0, 1, 1, 0], [0, 0, 1, 1, 1]


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.val_f1 = BinaryF1Score()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.val_f1.update(*batch)
        self.log("f1", self.val_f1)


Right = Wrong


def run(*, right: bool = False, **options: Any) -> None:
    """Validate; what differs is who shares out the samples."""
    samples: Any = list(zip(PREDICTIONS, LABELS, strict=True))
    shared = DataLoader(samples, 2, sampler=range(mine([0, 1]), 5, 2) if right else None)
    trainer(**{"use_distributed_sampler": not right, **options}).validate(
        Wrong(), shared, verbose=False
    )


if __name__ == "__main__":
    main(run)
