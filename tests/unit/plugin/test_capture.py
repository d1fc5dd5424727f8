"""Captured states are those of each rank's own metric at that moment, and nothing is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torchmetrics import CatMetric, MeanMetric, Metric, MetricCollection, SumMetric
from torchmetrics.classification import MulticlassF1Score, MulticlassPrecision, MulticlassRecall

from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array, ListSize, MetricState
from ddpwatch_lightning import holders as reading
from ddpwatch_lightning.capture import capture, merged
from ddpwatch_lightning.compute_groups import leaders
from ddpwatch_lightning.freshness import Freshness
from ddpwatch_lightning.holders import Holders, holders_of
from ddpwatch_lightning.tracked import Tracked

PREDS, TARGET = torch.tensor([0, 0, 1, 1, 2]), torch.tensor([0, 1, 1, 1, 2])


def fail(where: str, error: Exception) -> None:
    raise AssertionError(where) from error


def holders(*metrics: Metric, collections: tuple[MetricCollection, ...] = ()) -> Holders:
    tracked = [Tracked(f"m{index}", metric, True) for index, metric in enumerate(metrics)]
    return holders_of(tracked, leaders(collections), 0)


def captured(*metrics: Metric, **options: Any) -> tuple[MetricState, ...]:
    return merged(capture(holders(*metrics, **options), Freshness(), fail))


def arrays(state: MetricState) -> list[list[float]]:
    return [to_numpy(each).tolist() for each in state.states if isinstance(each, Array)]


def test_counts_and_updates_of_a_metric() -> None:
    metric = MulticlassF1Score(3)
    metric.update(PREDS, TARGET)
    metric.update(PREDS, TARGET)
    (state,) = captured(metric)
    assert (state.metric, state.updates, state.fresh, state.leader) == (0, 2, 2, -1)
    assert arrays(state) == [[2, 4, 2], [2, 0, 0], [6, 4, 8], [0, 2, 0]]


def test_forward_leaves_the_accumulated_state_to_be_captured() -> None:
    metric = MeanMetric()
    metric(1.0)
    metric(3.0)
    (state,) = captured(metric)
    assert arrays(state) == [4.0, 2.0]


def test_a_copy_is_not_changed_by_what_comes_later() -> None:
    metric = SumMetric()
    metric.update(1.0)
    captures = capture(holders(metric), Freshness(), fail)
    metric.update(10.0)
    metric.reset()
    assert arrays(merged(captures)[0]) == [1.0]


def trio() -> MetricCollection:
    return MetricCollection([MulticlassF1Score(3), MulticlassPrecision(3), MulticlassRecall(3)])


def members(collection: MetricCollection) -> list[Any]:
    return list(collection._modules.values())


def test_a_group_travels_once_under_its_first_metric() -> None:
    collection = trio()
    collection.update(PREDS, TARGET)
    collection.update(PREDS, TARGET)
    f1, precision, recall = captured(*members(collection), collections=(collection,))
    assert len(f1.states) == 4
    assert f1.leader == -1
    assert [(each.leader, each.states) for each in (precision, recall)] == [(0, ()), (0, ())]
    assert {each.updates for each in (f1, precision, recall)} == {2}


def test_members_that_are_stale_are_read_from_their_leader() -> None:
    collection = MetricCollection([MulticlassF1Score(3), MulticlassRecall(3)])
    collection.update(PREDS, TARGET)
    leader, member = members(collection)
    leader.update(PREDS, TARGET)
    assert member._update_count == 1
    states = captured(*members(collection), collections=(collection,))
    assert [state.updates for state in states] == [2, 2]


def test_a_leader_that_is_not_followed_still_lends_its_states() -> None:
    collection = MetricCollection([MulticlassF1Score(3), MulticlassRecall(3)])
    collection.update(PREDS, TARGET)
    (state,) = captured(members(collection)[1], collections=(collection,))
    assert (state.leader, len(state.states)) == (-1, 4)


def test_without_groups_each_metric_has_its_own() -> None:
    collection = MetricCollection([MulticlassF1Score(3), MulticlassRecall(3)], compute_groups=False)
    collection.update(PREDS, TARGET)
    states = captured(*members(collection), collections=(collection,))
    assert [(state.leader, len(state.states)) for state in states] == [(-1, 4), (-1, 4)]


def test_while_synchronised_the_ranks_own_states_are_read() -> None:
    metric = SumMetric()
    metric.update(1.0)
    metric._cache = {"sum_value": metric.sum_value}
    metric.sum_value, metric._is_synced = torch.tensor(99.0), True
    assert arrays(captured(metric)[0]) == [1.0]


def test_a_stale_cache_is_not_read() -> None:
    metric = SumMetric()
    metric.update(1.0)
    metric._cache = {"sum_value": torch.tensor(99.0)}
    assert arrays(captured(metric)[0]) == [1.0]


def test_of_lists_only_the_size_travels() -> None:
    metric = CatMetric()
    metric.update(torch.zeros(3))
    metric.update(torch.zeros(5))
    assert captured(metric)[0].states == (ListSize(2, 32),)


def test_of_a_list_that_was_joined_only_the_size_travels() -> None:
    metric = CatMetric()
    metric.value = torch.zeros(8)
    assert captured(metric)[0].states == (ListSize(8, 32),)


def test_the_size_of_a_growing_list_is_counted_on_and_after_a_reset_anew() -> None:
    metric = CatMetric()
    held = holders(metric)
    sizes = []
    for count in (3, 5):
        metric.update(torch.zeros(count))
        sizes += merged(capture(held, Freshness(), fail))[0].states
    metric.reset()
    metric.update(torch.zeros(1))
    sizes += merged(capture(held, Freshness(), fail))[0].states
    assert sizes == [ListSize(1, 12), ListSize(2, 32), ListSize(1, 4)]


def test_states_keep_the_order_of_their_declaration() -> None:
    class Mixed(Metric):
        def __init__(self) -> None:
            super().__init__()
            self.add_state("first", [], dist_reduce_fx=None)
            self.add_state("second", torch.ones(2), dist_reduce_fx="sum")
            self.add_state("third", [], dist_reduce_fx=None)

        def update(self) -> None: ...

        def compute(self) -> None: ...

    kinds = [type(each) for each in captured(Mixed())[0].states]
    assert kinds == [ListSize, Array, ListSize]


def test_states_beyond_the_room_there_is_are_only_measured(monkeypatch: Any) -> None:
    monkeypatch.setattr(reading, "LARGEST", 100)
    first, second = (MulticlassF1Score(3) for _ in range(2))
    states = captured(first, second)
    assert [type(each) for each in states[0].states] == [Array] * 4
    assert states[1].states == (ListSize(3, 24),) * 4


def test_one_metric_that_cannot_be_read_does_not_take_the_others_along() -> None:
    sound, broken = SumMetric(), SumMetric()
    broken.sum_value = "not a tensor"  # type: ignore[assignment]
    failures = []
    captures = capture(holders(broken, sound), Freshness(), lambda *each: failures.append(each))
    assert [state.metric for state in merged(captures)] == [1]
    ((where, error),) = failures
    assert where == "the states of m0"
    assert isinstance(error, AttributeError)


def test_of_several_captures_the_one_with_most_updates_counts() -> None:
    first, second = SumMetric(), SumMetric()
    held = holders(first, second)
    captures = []
    first.update(1.0)
    captures += capture(held, Freshness(), fail)
    first.reset()
    second.update(2.0)
    captures += capture(held, Freshness(), fail)
    states = merged(captures)
    assert [(state.updates, arrays(state)) for state in states] == [(1, [1.0]), (1, [2.0])]


def test_among_equals_the_newest_counts() -> None:
    metric = SumMetric()
    held = holders(metric)
    captures = []
    for value in (1.0, 2.0):
        metric.reset()
        metric.update(value)
        captures += capture(held, Freshness(), fail)
    assert arrays(merged(captures)[0]) == [2.0]


def test_a_member_whose_leader_comes_from_another_capture_carries_its_own_states() -> None:
    collection = MetricCollection([MulticlassF1Score(3), MulticlassRecall(3)])
    leader, member = members(collection)
    leader.update(PREDS, TARGET)
    leader.update(PREDS, TARGET)
    apart = capture(holders(leader), Freshness(), fail)
    leader.reset()
    collection.update(PREDS, TARGET)
    together = capture(holders(leader, member, collections=(collection,)), Freshness(), fail)
    f1, recall = merged([*apart, *together])
    assert (f1.updates, recall.updates, recall.leader) == (2, 1, -1)
    np.testing.assert_array_equal(arrays(recall), [[1, 2, 1], [1, 0, 0], [3, 2, 4], [0, 1, 0]])


def test_no_metrics_at_all() -> None:
    assert captured() == ()
