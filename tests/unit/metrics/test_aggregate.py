"""Do aggregators and ExactMatch say what their states hold?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.errors import StateError
from ddpwatch.metrics import aggregate
from ddpwatch.wire.messages import StateSpec, TrackedMetric
from tests.unit.metrics.declared import metric

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

MEAN = metric("MeanMetric", ("mean_value", "weight"))


def floats(*values):
    return np.array(values, np.float32)


def test_a_mean_is_weighted():
    stacked = {"mean_value": floats(6, 0), "weight": floats(4, 0)}
    with np.errstate(all="ignore"):
        value = aggregate.mean(MEAN, stacked)
    assert value[0] == 1.5
    assert np.isnan(value[1]), "no weight is not a mean of zero"


def test_a_bfloat16_mean_has_the_steps_of_bfloat16():
    specs = tuple(
        StateSpec(name=name, reduction="sum", dtype="bfloat16") for name in ("mean_value", "weight")
    )
    half = TrackedMetric(path="m", cls="MeanMetric", base="MeanMetric", states=specs)
    stacked = {"mean_value": floats(1), "weight": floats(3)}
    assert aggregate.mean(half, stacked).tolist() == [0.333984375]


def test_a_stored_value_is_itself():
    assert aggregate.stored({"max_value": floats(-np.inf, 2)}, "max_value").tolist() == [-np.inf, 2]


def test_an_aggregator_of_another_shape_is_refused():
    with pytest.raises(StateError, match="sum_value"):
        aggregate.stored({"sum_value": np.ones((2, 3))}, "sum_value")


def test_exact_match_counts_samples():
    stacked = {"correct": np.array([[3], [0]]), "total": np.array([[4], [0]])}
    value, total = aggregate.exact_match(stacked)
    assert value.tolist() == [0.75, 0.0]
    assert total.tolist() == [4, 0]
