"""Are quotients and averages those of torchmetrics, with absent classes and empty divisors?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.metrics.averages import as_float, averaged, safe_divide
from ddpwatch.metrics.counts import Counts

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def counts(tp, fp, fn, task="multiclass"):
    tp, fp, fn = (np.array([part]) for part in (tp, fp, fn))
    return Counts(task, True, tp, fp, np.zeros_like(tp), fn)


def test_division_by_zero_gives_what_was_asked_for():
    above, below = np.array([1, 0, 3]), np.array([2, 0, 0])
    assert safe_divide(above, below).tolist() == [0.5, 0, 0]
    assert safe_divide(above, below, 1.0).tolist() == [0.5, 1, 1]
    assert np.isnan(safe_divide(above, below, np.nan)).tolist() == [False, True, True]


def test_whole_numbers_divide_in_single_precision():
    assert safe_divide(np.array([1]), np.array([3])).dtype == np.float32
    assert as_float(np.ones(1, np.float64)).dtype == np.float64
    assert as_float(np.ones(1, np.float16)).dtype == np.float16


def test_macro_leaves_out_absent_classes():
    c = counts([1, 1, 0], [0, 1, 0], [0, 0, 0])
    each = np.array([[1.0, 0.5, 0.0]], np.float32)
    assert averaged(each, c, "macro").tolist() == [0.75]


def test_macro_keeps_absent_labels():
    c = counts([1, 1, 0], [0, 1, 0], [0, 0, 0], "multilabel")
    each = np.array([[1.0, 0.5, 0.0]], np.float32)
    assert averaged(each, c, "macro").tolist() == [0.5]


def test_with_top_k_a_class_without_targets_is_absent_though_predicted():
    c = counts([1, 1, 0], [0, 1, 4], [0, 0, 0])
    each = np.array([[1.0, 0.5, 0.0]], np.float32)
    assert averaged(each, c, "macro", top_k=1).tolist() == [0.5]
    assert averaged(each, c, "macro", top_k=2).tolist() == [0.75]


def test_weighted_means_by_support():
    c = counts([3, 1], [0, 0], [0, 0])
    assert averaged(np.array([[1.0, 0.0]], np.float32), c, "weighted").tolist() == [0.75]


def test_no_sample_at_all_averages_to_zero():
    c = counts([0, 0], [0, 0], [0, 0])
    each = np.zeros((1, 2), np.float32)
    assert averaged(each, c, "macro").tolist() == [0.0]
    assert averaged(each, c, "weighted").tolist() == [0.0]
