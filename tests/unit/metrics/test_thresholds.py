"""Is the best threshold the one that anybody would pick from the curve?"""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.metrics.curves import read_bins
from ddpwatch.metrics.thresholds import best
from tests.unit.metrics.binned import confmat

LEVELS = [0.0, 0.25, 0.5, 0.75]


def point(scores, targets, thresholds=LEVELS, *, told=True):
    stacked = {"confmat": confmat(scores, targets, thresholds)[np.newaxis]}
    params = {"thresholds": list(thresholds) if told else None}
    with np.errstate(all="ignore"):
        return best(read_bins(stacked, "binary", params, is_flat=False))


def test_it_separates_what_can_be_separated():
    found = point([0.1, 0.3, 0.6, 0.9], [0, 0, 1, 1])
    assert (found.f1, found.precision, found.recall, found.threshold) == (1, 1, 1, 0.5)


def test_of_equal_ones_the_lowest_wins():
    """At 0.25, 0.5 and 0.75 the same samples are positive."""
    assert point([0.1, 0.9], [0, 1]).threshold == 0.25


def test_without_a_hit_no_threshold_is_best():
    found = point([0.1, 0.9], [0, 0])
    assert (found.f1, found.precision, found.recall) == (0, 0, 0)
    assert np.isnan(found.threshold).all()


def test_without_samples_no_threshold_is_best():
    found = point([], [])
    assert found.f1 == 0
    assert np.isnan(found.threshold).all()


def test_f1_is_known_where_thresholds_are_not():
    found = point([0.1, 0.9], [0, 1], told=False)
    assert found.f1 == 1
    assert found.threshold is None


@given(st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=30))
def test_no_threshold_is_better(samples):
    """Looks at every threshold on its own, in exact fractions of counts."""
    scores = [score / 10 for score, _ in samples]
    targets = [target for _, target in samples]
    found = point(scores, targets)

    def f1(threshold):
        hits = sum(s >= threshold and t for s, t in zip(scores, targets, strict=True))
        return 2 * hits / max(1, sum(s >= threshold for s in scores) + sum(targets))

    assert math.isclose(found.f1[0, 0], max(map(f1, LEVELS)), rel_tol=1e-6)
    if found.f1 > 0:
        assert math.isclose(f1(found.threshold[0, 0]), found.f1[0, 0], rel_tol=1e-6)
        lower = [f1(level) for level in LEVELS if level < found.threshold]
        assert all(value <= found.f1[0, 0] * (1 + 1e-6) for value in lower)
