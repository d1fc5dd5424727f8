"""How samplers share a set, and which samples ranks really saw, is told by every rank."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Subset

from ddpwatch.wire.messages import Declare, Loader, Progress
from tests.ddp import ranks, recorder
from tests.ddp.training import Judge, Model, dataset, loader, predictions, rank, trainer

pytestmark = pytest.mark.ddp


def recorded() -> Any:
    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    return DDPWatch(every=1)


def declared(messages: list[Any]) -> dict[tuple[str, int], Loader]:
    newest = recorder.of(Declare, messages)[-1]
    return {(each.stage, each.dataloader): each for each in newest.loaders}


def padded() -> list[Any]:
    """Five samples for two ranks: sample 0 is counted twice."""
    fitting = trainer(recorded(), logger=False)
    fitting.validate(Judge(), predictions([1, 0, 1, 1, 0], [0, 0, 1, 1, 1], 1), verbose=False)
    return recorder.bodies()


def test_padding_shows_in_the_sampler_and_in_the_samples() -> None:
    found = ranks.run(padded, 2)
    for number, messages in enumerate(found):
        sampler = declared(messages)["validate", 0]
        assert (sampler.length, sampler.total, sampler.drawn) == (5, 6, 3)
        assert (sampler.replicas, sampler.replica, sampler.batches) == (2, number, 3)
    finals = [recorder.finals(messages)["validate", 0, 0] for messages in found]
    assert sum(each.samples or 0 for each in finals) == 6


def split_unseeded() -> list[Any]:
    """Each rank splits the same eight samples in its own way."""
    whole = dataset(8)
    mine = Subset(whole, [0, 1, 2, 3] if rank() == 0 else [2, 3, 4, 5])
    same = Subset(whole, [0, 1, 2, 3])
    fitting = trainer(recorded())
    fitting.fit(Model(), loader(8), [DataLoader(mine, 2), DataLoader(same, 2)])
    return recorder.bodies()


def test_another_split_on_each_rank_has_another_fingerprint() -> None:
    first, second = (declared(messages) for messages in ranks.run(split_unseeded, 2))
    assert first["validate", 0].fingerprint != second["validate", 0].fingerprint
    assert first["validate", 1].fingerprint == second["validate", 1].fingerprint != ""
    assert first["train", 0].fingerprint == ""
    assert set(first) == set(second) == {("validate", 0), ("validate", 1), ("train", 0)}


def fitted(use_distributed_sampler: bool) -> list[Any]:
    torch.manual_seed(rank())
    fitting = trainer(recorded(), use_distributed_sampler=use_distributed_sampler, max_epochs=2)
    fitting.fit(Model(), loader(24, shuffle=True), loader(16))
    fitting.test(Model(), loader(8), verbose=False)
    return recorder.bodies()


def checksums(messages: list[Any]) -> dict[tuple[str, int], int]:
    finals = recorder.finals(messages)
    return {(stage, number): each.checksum for (stage, number, _), each in finals.items()}


def test_ranks_without_a_distributed_sampler_see_the_same_samples_in_any_order() -> None:
    first, second = (checksums(each) for each in ranks.run(fitted, 2, False))
    assert first == second
    assert 0 not in first.values()
    assert first["train", 0] == first["train", 1]


def test_ranks_with_one_see_others() -> None:
    found = ranks.run(fitted, 2, True)
    first, second = (checksums(each) for each in found)
    assert all(first[key] != second[key] for key in first)
    test = declared(found[1])["test", 0]
    assert (test.sampler, test.drawn, test.replica) == ("DistributedSampler", 4, 1)


def test_the_time_before_the_first_collective_is_part_of_the_step() -> None:
    for messages in ranks.run(fitted, 2, True):
        for each in recorder.of(Progress, messages):
            if each.stage != "train":
                assert each.before_collective is None
                continue
            assert each.before_collective is not None
            assert each.step_time is not None
            assert 0 < each.before_collective < each.step_time
