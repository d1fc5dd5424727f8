"""Loaders and samplers of every kind are described, and none of them is read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from lightning.fabric.utilities.distributed import DistributedSamplerWrapper
from lightning.pytorch.overrides.distributed import UnrepeatedDistributedSamplerWrapper
from lightning.pytorch.utilities import CombinedLoader
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    IterableDataset,
    SequentialSampler,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
)

from ddpwatch.wire.messages import Loader, Stage
from ddpwatch_lightning.samplers import Samplers

SET = TensorDataset(torch.zeros(5, 2))


def described(*loaders: Any, stage: Stage = "validate") -> list[Loader]:
    combined: Any = CombinedLoader(list(loaders), "sequential")
    return [each.complete() for each in Samplers().refresh(trainer(combined), stage)]


def trainer(combined: Any) -> Any:
    return SimpleNamespace(_active_loop=SimpleNamespace(_combined_loader=combined))


def test_a_distributed_sampler() -> None:
    sampler: Any = DistributedSampler(SET, num_replicas=2, rank=1, shuffle=False)
    (found,) = described(DataLoader(SET, 2, sampler=sampler))
    assert found == Loader(
        stage="validate",
        cls="DataLoader",
        sampler="DistributedSampler",
        batch_size=2,
        batches=2,
        length=5,
        drawn=3,
        total=6,
        replicas=2,
        replica=1,
        drop_last=False,
        shuffle=False,
    )


@pytest.mark.parametrize("cls", [DistributedSamplerWrapper, UnrepeatedDistributedSamplerWrapper])
def test_samplers_that_lightning_wraps(cls: Any) -> None:
    inner = WeightedRandomSampler([1.0] * 5, 5)
    sampler = cls(inner, num_replicas=2, rank=0, shuffle=False)
    (found,) = described(DataLoader(SET, 2, sampler=sampler))
    assert found.sampler == f"{cls.__name__}(WeightedRandomSampler)"
    assert (found.length, found.drawn, found.replicas, found.shuffle) == (5, 3, 2, False)
    assert found.total == (5 if cls is UnrepeatedDistributedSamplerWrapper else 6)


def test_plain_ones() -> None:
    plain, shuffled = described(
        DataLoader(SET, 2), DataLoader(SET, 2, shuffle=True, drop_last=True)
    )
    assert (plain.sampler, plain.shuffle, plain.batches) == ("SequentialSampler", False, 3)
    assert (shuffled.sampler, shuffled.shuffle, shuffled.batches) == ("RandomSampler", True, 2)
    assert (plain.replicas, plain.total, shuffled.drop_last) == (None, None, True)
    assert (plain.dataloader, shuffled.dataloader) == (0, 1)


def test_a_batch_sampler_of_ones_own() -> None:
    batches: Any = BatchSampler(SequentialSampler(SET), 3, drop_last=False)
    (found,) = described(DataLoader(SET, batch_sampler=batches))
    assert (found.sampler, found.batch_size, found.batches) == ("SequentialSampler", 3, 2)


class Endless(IterableDataset[int]):
    def __iter__(self) -> Any:
        raise AssertionError("the data set was read")


def test_without_a_length() -> None:
    (found,) = described(DataLoader(Endless(), 2))
    assert (found.length, found.batches, found.batch_size) == (None, None, 2)


class Batches:
    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Any:
        raise AssertionError("the batches were read")


def test_something_that_is_no_loader_at_all() -> None:
    (found,) = described(Batches())
    assert (found.cls, found.batches, found.length) == ("Batches", 3, None)


def test_a_subset_has_a_fingerprint() -> None:
    one, other = described(
        DataLoader(Subset(SET, [0, 1]), 2),  # type: ignore[arg-type]
        DataLoader(Subset(SET, [1, 2]), 2),  # type: ignore[arg-type]
    )
    assert one.fingerprint != other.fingerprint
    assert "" not in {one.fingerprint, other.fingerprint}


def test_loaders_side_by_side_in_a_dict() -> None:
    combined: Any = CombinedLoader({"a": DataLoader(SET, 2), "b": DataLoader(SET, 5)}, "min_size")
    found = Samplers().refresh(trainer(combined), "train")
    assert [(each.loader.stage, each.loader.batch_size) for each in found] == [
        ("train", 2),
        ("train", 5),
    ]


def test_stages_add_up_and_unchanged_ones_compare_alike() -> None:
    samplers = Samplers()
    validating = trainer(CombinedLoader([DataLoader(SET, 2)], "sequential"))
    first = samplers.refresh(validating, "sanity_check")
    both = samplers.refresh(trainer(CombinedLoader([DataLoader(SET, 5)], "sequential")), "train")
    again = samplers.refresh(validating, "validate")
    assert [each.loader.stage for each in both] == ["validate", "train"]
    assert first == both[:1] == again[:1]
    reloaded = trainer(CombinedLoader([DataLoader(TensorDataset(torch.zeros(5)), 2)], "sequential"))
    assert samplers.refresh(reloaded, "validate")[:1] != first


def test_a_trainer_that_tells_nothing() -> None:
    assert Samplers().refresh(SimpleNamespace(_active_loop=None), "train") == []  # type: ignore[arg-type]
