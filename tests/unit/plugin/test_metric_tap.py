"""`Metric.reset` tells its listeners, and is itself again when there are none."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest
from torchmetrics import Metric, SumMetric

from ddpwatch_lightning.metric_tap import MetricTap

ORIGINAL = Metric.reset


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    Metric.reset = ORIGINAL  # type: ignore[method-assign]


def metric() -> SumMetric:
    sums = SumMetric()
    sums.update(1.0)
    return sums


def test_listeners_hear_of_a_reset_before_it_happens() -> None:
    tap: MetricTap = MetricTap("reset")
    heard: list[Any] = []
    tap.listen(lambda each: heard.append((each, float(each.sum_value))))
    sums = metric()
    sums.reset()
    assert heard == [(sums, 1.0)]
    assert float(sums.sum_value) == 0.0


def test_forward_resets_as_well_and_still_accumulates() -> None:
    tap = MetricTap("reset")
    heard: list[int] = []
    tap.listen(lambda each: heard.append(each._update_count))
    sums = metric()
    sums(2.0)
    assert heard == [1]
    assert float(sums.compute()) == 3.0


def test_the_original_returns_with_the_last_listener() -> None:
    tap = MetricTap("reset")
    heard: list[Metric] = []
    tap.listen(heard.append)
    tap.listen(print)
    tap.forget(heard.append)
    assert Metric.reset is not ORIGINAL
    tap.forget(print)
    assert Metric.reset is ORIGINAL
    metric().reset()
    assert heard == []


def test_forgetting_a_stranger_does_nothing() -> None:
    MetricTap("reset").forget(print)
    assert Metric.reset is ORIGINAL


def test_somebody_elses_wrapper_above_is_left_in_place_and_heard_through() -> None:
    tap = MetricTap("reset")
    heard: list[Metric] = []
    others: list[Metric] = []
    tap.listen(heard.append)
    below = Metric.reset

    @functools.wraps(below)
    def theirs(self: Metric, *args: Any) -> None:
        others.append(self)
        below(self, *args)

    Metric.reset = theirs  # type: ignore[method-assign]
    tap.forget(heard.append)
    assert Metric.reset is theirs
    tap.listen(heard.append)
    sums = metric()
    sums.reset()
    assert (heard, others) == ([sums], [sums])


def test_a_wrapper_that_somebody_removed_is_put_back() -> None:
    tap = MetricTap("reset")
    heard: list[Metric] = []
    tap.listen(lambda each: None)
    Metric.reset = ORIGINAL  # type: ignore[method-assign]
    tap.listen(heard.append)
    metric().reset()
    assert len(heard) == 1
