"""Loaders and samplers that share out the samples as they should."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import (
    DataLoader,
    DistributedSampler,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from torchmetrics import MeanMetric

from demo.findings.common import Model, loader, mine, trainer


class _Module(Model):
    def __init__(self, loaders: int = 1) -> None:
        super().__init__()
        self.means: Any = torch.nn.ModuleList(MeanMetric() for _ in range(loaders))

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight * batch[0].mean()

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self.means[dataloader_idx].update(batch[0])
        self.log("mean", self.means[dataloader_idx])


def _images(count: int = 8) -> TensorDataset:
    return TensorDataset(torch.arange(count * 4.0).reshape(count, 4))


def shared_out_by_lightning() -> None:
    data = DataLoader(_images(), 2)
    trainer(use_distributed_sampler=True, max_epochs=2).fit(_Module(), data, data)


def shuffled_training_that_is_padded() -> None:
    """A repeated sample distorts no result in training."""
    train = DataLoader(_images(9), 2, shuffle=True)
    trainer(use_distributed_sampler=True, max_epochs=2).fit(
        _Module(), train, DataLoader(_images(), 2)
    )


def rest_dropped_by_the_sampler() -> None:
    images = _images(9)
    sampler: Any = DistributedSampler(images, 2, mine([0, 1]), shuffle=False, drop_last=True)
    trainer().validate(_Module(), DataLoader(images, 2, sampler=sampler), verbose=False)


def split_with_one_seed() -> None:
    parts = random_split(_images(16), [8, 8], torch.Generator().manual_seed(42))
    train, validate = (DataLoader(part, 2) for part in parts)
    trainer(use_distributed_sampler=True, max_epochs=2).fit(_Module(), train, validate)


def every_second_sample_by_hand() -> None:
    """The ranks' subsets differ because they are the shares."""
    share = Subset(_images(), range(mine([0, 1]), 8, 2))
    trainer().validate(_Module(), DataLoader(share, 2), verbose=False)


def without_a_length() -> None:
    class Stream(IterableDataset[Any]):
        def __iter__(self) -> Iterator[Any]:
            for number in range(mine([0, 1]), 8, 2):
                yield (torch.full((4,), float(number)),)

    trainer().validate(_Module(), DataLoader(Stream(), 2), verbose=False)


def several_loaders_with_their_own_metrics() -> None:
    loaders = [DataLoader(_images(8), 2), DataLoader(_images(4), 2)]
    trainer(use_distributed_sampler=True).validate(_Module(2), loaders, verbose=False)


def several_loaders_under_their_own_names() -> None:
    class Module(_Module):
        def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
            mean = self.means[dataloader_idx]
            mean.update(batch[0])
            self.log(f"{('near', 'far')[dataloader_idx]}/mean", mean, add_dataloader_idx=False)

    loaders = [DataLoader(_images(8), 2), DataLoader(_images(4), 2)]
    trainer(use_distributed_sampler=True).validate(Module(2), loaders, verbose=False)


def two_loaders_trained_on_together() -> None:
    class Module(_Module):
        def training_step(self, batch: Any, batch_idx: int) -> Any:
            return self.weight * (batch["near"][0].mean() + batch["far"][0].mean())

    train = {"near": DataLoader(_images(8), 2), "far": DataLoader(_images(4), 2)}
    trainer(use_distributed_sampler=True, max_epochs=2).fit(Module(), train)


def all_samples_alike() -> None:
    data = DataLoader(TensorDataset(torch.ones(8, 4)), 2)
    trainer(use_distributed_sampler=True).validate(_Module(), data, verbose=False)


def same_labels_on_other_samples() -> None:
    """Both ranks have two of each class, in the same order."""

    class Module(_Module):
        def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
            self.means[0].update(batch.float())
            self.log("mean", self.means[0])

    trainer().validate(Module(), loader([0, 1, 0, 1]), verbose=False)
