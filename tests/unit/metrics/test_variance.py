"""Do the scores of explained variance keep to torchmetrics at their edges?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.errors import StateError
from ddpwatch.metrics.sums import Sums
from ddpwatch.metrics.variance import explained_variance, r2, relative_squared_error


@pytest.fixture(autouse=True)
def _no_warnings():
    with np.errstate(all="ignore"):
        yield


def states(target, preds, **params):
    """Return what R2 and relative squared error keep of one rank."""
    target, preds = (np.asarray(part, dtype=np.float32) for part in (target, preds))
    kept = {
        "sum_squared_error": (target**2).sum(0),
        "sum_error": target.sum(0),
        "residual": ((target - preds) ** 2).sum(0),
        "total": np.int64(len(target)),
    }
    return Sums({name: np.asarray(value)[np.newaxis] for name, value in kept.items()}, params)


def test_r2_is_one_minus_the_unexplained_share():
    assert r2(states([0, 1, 2, 3], [0, 1, 2, 2])) == pytest.approx(1 - 1 / 5)


def test_r2_of_constant_targets_is_0_unless_all_is_right():
    assert r2(states([1, 1], [1, 2])) == 0
    assert r2(states([1, 1], [1, 1])) == 1


def test_r2_of_one_sample_is_not_a_number():
    assert np.isnan(r2(states([1], [1]))).all()


def test_r2_is_adjusted_only_with_enough_samples():
    plain = 1 - 1 / 5
    assert r2(states([0, 1, 2, 3], [0, 1, 2, 2], adjusted=1)) == pytest.approx(1 - 0.2 * 3 / 2)
    assert r2(states([0, 1, 2, 3], [0, 1, 2, 2], adjusted=3)) == pytest.approx(plain)
    assert r2(states([0, 1, 2, 3], [0, 1, 2, 2], adjusted=9)) == pytest.approx(plain)


@pytest.mark.parametrize(
    ("how", "value"),
    [("raw_values", [1, 0.5]), ("uniform_average", [0.75]), ("variance_weighted", [0.6])],
)
def test_outputs_are_averaged_as_asked(how, value):
    """The second output varies four times as much as the first."""
    target = [[0, 0], [1, 2], [2, 4]]
    preds = [[0, 0], [1, 2], [2, 2]]
    assert r2(states(target, preds, multioutput=how))[0] == pytest.approx(value)


@pytest.mark.parametrize("params", [{"multioutput": "all"}, {"adjusted": -1}, {"adjusted": 0.5}])
def test_parameters_that_make_no_sense_are_refused(params):
    with pytest.raises(StateError):
        r2(states([0, 1], [0, 1], **params))


@pytest.mark.parametrize("count", ["num_obs", "n_obs"])
def test_explained_variance_forgives_a_constant_error(count):
    """Under both names that versions of torchmetrics have for the number of samples."""
    kept = {
        "sum_error": -4.0, "sum_squared_error": 4.0, "sum_target": 6.0, "sum_squared_target": 14.0,
        count: 4.0,
    }  # fmt: skip
    sums = Sums({name: np.array([value], np.float32) for name, value in kept.items()}, {})
    assert explained_variance(sums) == 1


def test_relative_error_is_the_unexplained_share():
    assert relative_squared_error(states([0, 1, 2, 3], [0, 1, 2, 2])) == pytest.approx(1 / 5)
    root = relative_squared_error(states([0, 1, 2, 3], [0, 1, 2, 2], squared=False))
    assert root == pytest.approx(5**-0.5)
