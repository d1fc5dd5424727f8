"""Why are the validation numbers of two GPUs so much better than those of one?

The split is drawn on every rank, and each draws another one. The sampler then takes every second
sample of a different list, so that one rank validates on what the other is trained on. `--right`
draws with the same seed everywhere.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, TensorDataset, random_split
from torchmetrics import MeanMetric

from demo.findings.common import Model, main, mine, trainer

EXPECTED = {"ranks": [0, 1], "numbers": ["different subset", "8"]}
"""How many samples each rank's own subset has."""


class Wrong(Model):
    def __init__(self) -> None:
        super().__init__()
        self.mean = MeanMetric()

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight * batch[0].mean()

    def validation_step(self, batch: Any, batch_idx: int) -> None:
        self.mean.update(batch[0])
        self.log("val_mean", self.mean)


Right = Wrong


def run(*, right: bool = False, **options: Any) -> None:
    """Train one epoch on half of the samples, and validate on what each rank takes as the other."""
    seed = 0 if right else mine([0, 1])
    images = TensorDataset(torch.arange(64.0).reshape(16, 4))
    train, validate = random_split(images, [8, 8], torch.Generator().manual_seed(seed))
    trainer(**{"use_distributed_sampler": True, **options}).fit(
        Wrong(), DataLoader(train, 2, shuffle=True), DataLoader(validate, 2)
    )


if __name__ == "__main__":
    main(run)
