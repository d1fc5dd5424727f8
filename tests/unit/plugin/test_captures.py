"""Which copies count at the end of a pass, whatever was reset or updated meanwhile."""

from __future__ import annotations

from torchmetrics import SumMetric

from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array, MetricState
from ddpwatch_lightning.capture import merged
from ddpwatch_lightning.captures import Captures
from ddpwatch_lightning.holders import Holders, holders_of
from ddpwatch_lightning.tracked import Tracked


def fail(where: str, error: Exception) -> None:
    raise AssertionError(where) from error


def total(state: MetricState) -> float:
    (value,) = state.states
    assert isinstance(value, Array)
    return float(to_numpy(value))


def started(*metrics: SumMetric) -> tuple[Captures, Holders]:
    tracked = [Tracked(f"m{index}", metric, True) for index, metric in enumerate(metrics)]
    holders = holders_of(tracked, {}, 0)
    captures = Captures(fail)
    captures.begin(holders)
    return captures, holders


def test_what_was_there_before_the_pass_is_not_fresh() -> None:
    metric = SumMetric()
    metric.update(1.0)
    captures, holders = started(metric)
    (before,) = merged(captures.take(holders))
    metric.update(2.0)
    (after,) = merged(captures.take(holders))
    assert [(s.updates, s.fresh, total(s)) for s in (before, after)] == [(1, 0, 1.0), (2, 1, 3.0)]


def test_a_reset_that_was_observed_does_not_hide_the_next_update() -> None:
    metric = SumMetric()
    metric.update(1.0)
    captures, holders = started(metric)
    metric.reset()
    captures.observe(holders)
    metric.update(2.0)
    assert merged(captures.take(holders))[0].fresh == 1


def test_only_what_is_retained_counts() -> None:
    metric = SumMetric()
    captures, holders = started(metric)
    metric.update(1.0)
    captures.take(holders)
    assert captures.retained() == []
    captures.retain(captures.take(holders))
    assert total(merged(captures.retained())[0]) == 1.0


def test_states_that_were_reset_after_the_last_batch_are_not_lost() -> None:
    metric, other = SumMetric(), SumMetric()
    captures, holders = started(metric, other)
    metric.update(1.0)
    captures.retain(captures.take(holders))
    metric.reset()
    other.update(5.0)
    captures.retain(captures.take(holders))
    assert [total(state) for state in merged(captures.retained())] == [1.0, 5.0]


def test_more_updates_are_an_improvement_and_fewer_are_not() -> None:
    metric = SumMetric()
    captures, holders = started(metric)
    metric.update(1.0)
    captures.retain(captures.take(holders))
    assert not captures.improve(next(iter(holders)))
    metric.update(2.0)
    assert captures.improve(next(iter(holders)))
    metric.reset()
    assert not captures.improve(next(iter(holders)))
    assert total(merged(captures.retained())[0]) == 3.0


def test_a_new_loader_forgets_what_was_retained() -> None:
    metric = SumMetric()
    captures, holders = started(metric)
    metric.update(1.0)
    captures.retain(captures.take(holders))
    captures.begin(holders)
    assert captures.retained() == []
    assert merged(captures.take(holders))[0].fresh == 0
    metric.update(1.0)
    assert captures.improve(next(iter(holders)))


def test_copies_from_before_another_declaration_do_not_count() -> None:
    metric, other = SumMetric(), SumMetric()
    captures, holders = started(metric)
    metric.update(1.0)
    captures.retain(captures.take(holders))
    tracked = [Tracked("other", other, True), Tracked("m0", metric, True)]
    other.update(5.0)
    captures.retain(captures.take(holders_of(tracked, {}, 1)))
    assert [total(state) for state in merged(captures.retained())] == [5.0, 1.0]
    assert [state.fresh for state in merged(captures.retained())] == [1, 1]
