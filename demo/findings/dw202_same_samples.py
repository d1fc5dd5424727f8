"""Why does an epoch take as long on two GPUs as on one?

`use_distributed_sampler=False` leaves the sharing out to the script, which does not do it: both
ranks go through all samples, and every one is counted twice. `--right` leaves the default on.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric

from demo.findings.common import Model, main, trainer

EXPECTED = {"ranks": [0, 1], "numbers": ["same 8 samples"]}
"""What each of the two ranks saw: all there are."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.mean = MeanMetric()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.mean.update(batch[0])
        self.log("val_mean", self.mean)


Right = Wrong


def run(*, right: bool = False, **options: Any) -> None:
    """Validate eight samples; what differs is who shares them out."""
    images = DataLoader(TensorDataset(torch.arange(32.0).reshape(8, 4)), 2)
    trainer(**{"use_distributed_sampler": right, **options}).validate(
        Wrong(), images, verbose=False
    )


if __name__ == "__main__":
    main(run)
