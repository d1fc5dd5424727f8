"""Are averaged counts those that StatScores reports?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.metrics.counts import Counts
from ddpwatch.metrics.parameters import read_settings
from ddpwatch.metrics.rules import rules_of
from ddpwatch.metrics.support import COLUMNS, Column

SETTINGS = read_settings("multiclass", {}, rules_of({}))


def average(counts, name, how):
    column = Column(name)
    return column.average(column.each(counts, SETTINGS), counts, SETTINGS, how)


def counts(tp, fp, tn, fn):
    return Counts("multiclass", True, *(np.array([part]) for part in (tp, fp, tn, fn)))


DATA = counts([1, 2, 1], [1, 0, 0], [3, 2, 4], [0, 1, 0])


@pytest.mark.parametrize(
    ("how", "values"),
    [
        ("micro", [4, 1, 9, 1, 5]),
        ("macro", [4 / 3, 1 / 3, 3, 1 / 3, 5 / 3]),
        ("weighted", [(1 + 6 + 1) / 5, 1 / 5, (3 + 6 + 4) / 5, 3 / 5, (1 + 9 + 1) / 5]),
    ],
)
def test_counts_average_as_numbers(how, values):
    assert np.allclose([average(DATA, name, how)[0] for name in COLUMNS], values)


def test_support_is_what_the_targets_hold():
    assert Column("support").each(DATA, SETTINGS).tolist() == [[1, 3, 1]]


def test_weights_of_nothing_are_not_a_number():
    nothing = counts([0, 0], [0, 0], [0, 0], [0, 0])
    with np.errstate(all="ignore"):
        assert np.isnan(average(nothing, "tp", "weighted")).all()
