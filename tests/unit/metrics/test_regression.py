"""Are metrics of a few sums computed of all ranks' samples, not averaged over ranks?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.metrics.evaluate import evaluate_ranks
from ddpwatch.wire.messages import StateSpec
from tests.unit.metrics.declared import NEWEST, metric, score


def evaluated(base, names, ranks, labels=(), **params):
    declared = metric(base, names, labels, **params)
    states = [[np.asarray(part) for part in rank] for rank in ranks]
    return evaluate_ranks(declared, states, NEWEST)


SQUARED = ("sum_squared_error", "total")
# Errors 1, 1, 1 on one rank and 5 on the other.
ERRORS = [([np.float32(3)], 3), ([np.float32(25)], 1)]


def test_an_error_is_that_of_all_samples():
    found = evaluated("MeanSquaredError", SQUARED, ERRORS, squared=True)
    assert score(found.local, "mse").values.tolist() == [1, 25]
    assert score(found.global_, "mse").values.tolist() == [7]
    assert found.global_.samples.tolist() == [4]
    assert score(found.global_, "mse").own


def test_a_root_has_a_name_of_its_own():
    found = evaluated("MeanSquaredError", SQUARED, ERRORS, squared=False)
    assert score(found.global_, "rmse").values == pytest.approx([7**0.5])


def test_outputs_are_rows_named_by_the_labels():
    ranks = [([np.float32(2), np.float32(4)], 2)]
    found = evaluated("MeanAbsoluteError", ("sum_abs_error", "total"), ranks, ("x", "y"))
    each = score(found.global_, "mae", per_class=True)
    assert (each.labels, each.average, each.values.tolist()) == (("x", "y"), "none", [[1, 2]])


def test_a_scale_of_nothing_is_held_above_zero():
    names = ("sum_abs_error", "sum_scale")
    found = evaluated(
        "WeightedMeanAbsolutePercentageError", names, [(np.float32(1), np.float32(0))]
    )
    assert score(found.global_, "wmape").values == pytest.approx([1 / 1.17e-06])
    assert found.global_.samples is None


def test_a_distance_is_the_root_of_the_sum():
    ranks = [(np.float32(9),), (np.float32(16),)]
    found = evaluated("MinkowskiDistance", ("minkowski_dist_sum",), ranks, p=2)
    assert score(found.global_, "minkowski").values == pytest.approx([5])


@pytest.mark.parametrize(("reduction", "value"), [("mean", 1.5), ("sum", 6)])
def test_a_divergence_is_a_mean_or_a_sum(reduction, value):
    ranks = [(np.float32(2), 2), (np.float32(4), 2)]
    declared = metric("KLDivergence", ("measures", "total"))
    declared.params["reduction"] = reduction
    states = [[np.asarray(part) for part in rank] for rank in ranks]
    found = evaluate_ranks(declared, states, NEWEST)
    assert score(found.global_, "kl_divergence").values == pytest.approx([value])


def test_hits_among_all_that_happened_or_was_said():
    names = ("hits", "misses", "false_alarms")
    found = evaluated("CriticalSuccessIndex", names, [(1, 1, 0), (2, 0, 1), (0, 0, 0)])
    assert score(found.local, "csi").values == pytest.approx([0.5, 2 / 3, 0])
    assert score(found.global_, "csi").values == pytest.approx([3 / 5])


def test_ranking_losses_do_not_count_their_samples():
    names = ("measure", "total")
    ranks = [(np.float32(1), np.float32(2))]
    found = evaluated("MultilabelRankingLoss", names, ranks, num_labels=2)
    assert score(found.global_, "ranking_loss").values == pytest.approx([0.5])
    assert found.global_.samples is None


def test_half_precision_is_rounded_as_on_the_ranks():
    declared = metric("MeanAbsoluteError", ("sum_abs_error", "total"))
    specs = (
        StateSpec(name="sum_abs_error", reduction="sum", dtype="bfloat16"),
        StateSpec(name="total", reduction="sum", dtype="int64"),
    )
    half = type(declared)(path="m", cls="m", base=declared.base, states=specs)
    found = evaluate_ranks(half, [[np.asarray(np.float32(1)), np.asarray(3)]], NEWEST)
    assert score(found.global_, "mae").values.tolist() == [0.333984375]


@pytest.mark.parametrize(
    "params", [{"squared": "yes"}, {"squared": 1}]
)  # fmt: skip
def test_parameters_that_make_no_sense_become_the_reason(params):
    found = evaluated("MeanSquaredError", SQUARED, ERRORS, **params)
    assert found.global_.scores == ()
    assert "squared" in found.global_.reason


def test_states_that_do_not_fit_become_the_reason():
    found = evaluated("MeanSquaredError", ("other", "total"), ERRORS)
    assert "expected a state sum_squared_error" in found.global_.reason
