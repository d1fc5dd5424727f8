"""Are a few sums read for one output or several, and refused where they do not fit?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.errors import StateError
from ddpwatch.metrics.sums import Sums


def sums(**states):
    return Sums({name: np.asarray(values) for name, values in states.items()}, {})


def test_one_output_is_one_column():
    error, total = sums(error=[[1.0], [2.0]], total=[3, 4]).read("error", "total")
    assert error.tolist() == [[1.0], [2.0]]
    assert total.tolist() == [[3.0], [4.0]]


def test_several_outputs_share_one_total():
    error, total = sums(error=[[1.0, 2.0]], total=[4]).read("error", "total")
    assert (error / total).tolist() == [[0.25, 0.5]]


def test_counts_become_single_precision_and_floats_stay():
    total, error = sums(error=np.ones(1), total=[1]).read("total", "error")
    assert (total.dtype, error.dtype) == (np.float32, np.float64)


@pytest.mark.parametrize(
    "states",
    [
        {"a": [[1.0, 2.0]], "b": [[1.0, 2.0, 3.0]]},
        {"a": [[[1.0]]], "b": [1.0]},
        {"a": [[1.0]]},
        {"a": ["x"], "b": [1.0]},
        {"a": [[]], "b": [1.0]},
        {"a": np.zeros((1, 70_000)), "b": [1.0]},
    ],
)
def test_what_does_not_fit_is_refused(states):
    with pytest.raises(StateError):
        sums(**states).read("a", "b")


def test_a_state_may_have_had_another_name():
    assert sums(n_obs=[1]).first_of("num_obs", "n_obs") == "n_obs"
    assert sums(other=[1]).first_of("num_obs", "n_obs") == "num_obs"
