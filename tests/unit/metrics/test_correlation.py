"""Are means and moments of many ranks merged to those of all samples?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ddpwatch.errors import StateError
from ddpwatch.metrics.correlation import NAMES, concordance, counted, merge, pearson
from ddpwatch.metrics.evaluate import evaluate_ranks
from tests.unit.metrics.declared import NEWEST, metric, score


def moments(x, y):
    """Return what a rank keeps of its samples, by name."""
    if not len(x):
        return {name: np.zeros(1) for name in NAMES}
    off_x, off_y = x - np.mean(x), y - np.mean(y)
    kept = (
        np.mean(x), np.mean(y), np.abs(off_x).max(), np.abs(off_y).max(),
        (off_x**2).sum(), (off_y**2).sum(), (off_x * off_y).sum(), len(x),
    )  # fmt: skip
    return {
        name: np.array([value], dtype=np.float64) for name, value in zip(NAMES, kept, strict=True)
    }


def stacked(*ranks):
    kept = [moments(np.array(x, float), np.array(y, float)) for x, y in ranks]
    return {name: np.stack([rank[name] for rank in kept]) for name in NAMES}


numbers = st.floats(-8, 8, width=16)
samples = st.lists(st.tuples(numbers, numbers), max_size=6)


@given(st.lists(samples, min_size=1, max_size=5))
def test_merged_moments_are_those_of_all_samples(ranks):
    pairs = [tuple(zip(*rank, strict=True)) or ((), ()) for rank in ranks]
    x, y = (np.array([value for pair in pairs for value in pair[side]]) for side in (0, 1))
    assume(len(x) > 0)
    with np.errstate(all="ignore"):
        merged, whole = merge(stacked(*pairs)), moments(x, y)
    for name in ("mean_x", "mean_y", "var_x", "var_y", "corr_xy", "n_total"):
        assert merged[name][0] == pytest.approx(whole[name], abs=1e-8), name


def test_the_correlation_of_all_is_not_the_mean_of_ranks():
    """Each rank sees a falling line, all samples together a rising cloud."""
    ranks = [([0, 1], [1, 0]), ([4, 5], [5, 4])]
    states = stacked(*ranks)
    declared = metric("PearsonCorrCoef", NAMES, reduction="none")
    found = evaluate_ranks(
        declared, [[states[name][rank] for name in NAMES] for rank in (0, 1)], NEWEST
    )
    assert score(found.local, "pearson").values == pytest.approx([-1, -1])
    whole = np.corrcoef([0, 1, 4, 5], [1, 0, 5, 4])[0, 1]
    assert score(found.global_, "pearson").values == pytest.approx([whole])
    assert found.local.samples.tolist() == [2, 2]
    assert found.global_.samples.tolist() == [4]


def test_concordance_takes_off_for_distance():
    """A perfect line, one unit off."""
    states = stacked(([0, 1, 2], [1, 2, 3]))
    assert pearson(states) == pytest.approx(1)
    assert concordance(states) == pytest.approx(2 * 1 / (1 + 1 + 1))


def test_what_does_not_vary_has_no_correlation():
    with np.errstate(all="ignore"):
        assert np.isnan(pearson(stacked(([1, 1], [0, 1])))).all()
        assert np.isnan(pearson(stacked(([], [])))).all()
    assert counted(stacked(([], []))) == 0


def test_older_states_are_not_taken_for_the_new_ones():
    older = {
        name: values for name, values in stacked(([0, 1], [0, 1])).items() if "dev" not in name
    }
    with pytest.raises(StateError, match="keeps no max_abs_dev_x"):
        merge(older)


def test_other_states_are_refused():
    with pytest.raises(StateError, match="expected the states mean_x"):
        merge({**stacked(([0, 1], [0, 1])), "tp": np.zeros(1)})


def test_states_of_different_shapes_are_refused():
    states = {**stacked(([0, 1], [0, 1])), "var_x": np.zeros((1, 3))}
    with pytest.raises(StateError, match="one shape"):
        pearson(states)
