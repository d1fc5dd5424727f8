"""Calls add up to what Lightning itself would end with on one rank."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from lightning.pytorch.trainer.connectors.logger_connector.result import _ResultCollection

from ddpwatch_lightning.log_calls import about
from ddpwatch_lightning.tally import Correction, Entry, Restart, fold


def entry(reduce_fx: str = "mean", **options: Any) -> Entry:
    given = {"reduce_fx": reduce_fx, **options}
    return Entry(about(("step", "key", -1), torch.tensor(0.0), given, 0))


def calls(of: Entry, *pairs: tuple[float, float]) -> list[Any]:
    return [(of, torch.tensor(v), weight, step, None) for step, (v, weight) in enumerate(pairs)]


@pytest.mark.parametrize("reduce_fx", ["mean", "sum", "max", "min"])
@pytest.mark.parametrize("values", [[0.5, -2.0, 1.25], [1.0, math.nan, 2.0], [math.inf, 1.0]])
def test_the_local_value_is_lightnings(reduce_fx: str, values: list[float]) -> None:
    results = _ResultCollection(training=True)
    ours = entry(reduce_fx)
    pairs = [(value, 3.0 + step) for step, value in enumerate(values)]
    for value, weight in pairs:
        results.log("step", "key", torch.tensor(value), batch_size=weight, reduce_fx=reduce_fx)
    fold(calls(ours, *pairs))
    expected = float(results["step.key"].compute())
    assert ours.local() == pytest.approx(expected, nan_ok=True)


def test_all_sums_of_a_key() -> None:
    ours = entry()
    fold(calls(ours, (1.0, 4), (3.0, 2), (math.nan, 1), (math.inf, 1)))
    key = ours.key()
    assert (key.calls, key.weight, key.last, key.last_step) == (4, 8.0, math.inf, 3)
    assert (key.least, key.most, key.nonfinite, key.nonfinite_step) == (1.0, math.inf, 2, 2)
    assert math.isnan(key.weighted_sum)
    assert math.isnan(key.total)


def test_a_correction_changes_the_weight_and_no_count() -> None:
    ours = entry()
    fold([*calls(ours, (2.0, 4)), Correction(ours, 2.0, -1)])
    key = ours.key()
    assert (key.calls, key.weight, key.weighted_sum, key.total) == (1, 3.0, 6.0, 2.0)


def test_what_lightning_forgets_is_still_in_the_sums() -> None:
    ours = entry()
    fold([*calls(ours, (2.0, 1)), Restart(ours), *calls(ours, (4.0, 1)), Restart(entry())])
    assert (ours.local(), ours.key().total, ours.key().calls) == (4.0, 6.0, 2)


def test_a_metric_object_is_counted_only() -> None:
    metric = Entry(about(("step", "f1", -1), object(), {"metric_attribute": "val.f1"}, 0))
    fold([(metric, None, 4, 0, None)])
    key = metric.key()
    assert (key.metric, key.calls, key.weight, key.last, metric.local()) == (
        *("val.f1", 1, 0.0, None, None),
    )


def test_nothing_logged_is_nothing_held() -> None:
    assert [entry(each).local() for each in ("mean", "max", "min")] == [None] * 3
