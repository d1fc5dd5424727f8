"""Are the areas under binned curves those of the few samples that one can count by hand?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.errors import StateError
from ddpwatch.metrics import curves
from tests.unit.metrics.binned import confmat

LEVELS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
# Three of four pairs of a positive and a negative sample are in order.
SCORES, TARGETS = [0.3, 0.5, 0.7, 0.9], [0, 1, 0, 1]


@pytest.fixture(autouse=True)
def _no_warnings():
    """As where the board evaluates."""
    with np.errstate(all="ignore"):
        yield


def bins(*, task="binary", is_flat=False, scores=SCORES, targets=TARGETS, **params):
    stacked = {"confmat": confmat(scores, targets, LEVELS)[np.newaxis]}
    return curves.read_bins(stacked, task, {"thresholds": LEVELS, **params}, is_flat=is_flat)


def test_area_is_the_share_of_ordered_pairs():
    assert curves.auroc(bins()) == pytest.approx(0.75)


def test_average_precision_steps_down_the_recall():
    """Precision 1 up to recall 1/2, 2/3 up to 1."""
    assert curves.average_precision(bins()) == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)


def test_a_partial_area_is_standardised():
    """Up to a false positive rate of 1/2 the area is 1/4, of at most 1/2 and at least 1/8."""
    value = 0.5 * (1 + (0.25 - 0.125) / (0.5 - 0.125))
    assert curves.partial_auroc(bins(), 0.5) == pytest.approx(value)


def test_a_partial_area_ends_between_two_points():
    """At a rate of 1/4, in the midst of the step from (0, 1/2) to (1/2, 1/2)."""
    value = 0.5 * (1 + (0.125 - 0.25**2 / 2) / (0.25 - 0.25**2 / 2))
    assert curves.partial_auroc(bins(), 0.25) == pytest.approx(value)


def test_a_partial_area_of_a_curve_that_ends_before_is_not_a_number():
    """No threshold lets half of the negative samples through; torchmetrics raises an error."""
    stacked = {"confmat": confmat(SCORES, TARGETS, [0.6, 0.8])[np.newaxis]}
    short = curves.read_bins(stacked, "binary", {}, is_flat=False)
    assert np.isnan(curves.partial_auroc(short, 0.6)).all()


@pytest.mark.parametrize("targets", [[0, 0, 0, 0], [1, 1, 1, 1]])
def test_one_kind_of_target_has_no_area(targets):
    assert curves.auroc(bins(targets=targets)) == 0


def test_averages_weigh_labels_alike_or_by_support():
    two = bins(
        task="multilabel",
        scores=[[0.3, 0.9], [0.5, 0.1], [0.7, 0.1], [0.9, 0.1]],
        targets=[[0, 1], [1, 0], [0, 0], [1, 0]],
        num_labels=2,
    )
    each = curves.auroc(two)
    assert each == pytest.approx(np.array([[0.75, 1.0]]))
    assert curves.averaged(each, two, "macro") == pytest.approx(0.875)
    assert curves.averaged(each, two, "weighted") == pytest.approx((2 * 0.75 + 1) / 3)


def test_pooled_labels_are_one_curve():
    two = bins(
        task="multilabel",
        scores=np.transpose([SCORES, SCORES]),
        targets=np.transpose([TARGETS, TARGETS]),
        num_labels=2,
    )
    assert curves.auroc(two.pooled()) == pytest.approx(0.75)
    assert not two.pooled().labelled


def test_samples_are_counted_once():
    assert curves.samples_of(bins(), "binary", {}) == 4
    flat = bins(task="multiclass", is_flat=True)
    assert curves.samples_of(flat, "multiclass", {"num_classes": 2}) == 2
    assert curves.samples_of(flat, "multiclass", {}) is None


@pytest.mark.parametrize(
    ("task", "params"),
    [
        ("binary", {"thresholds": [0.0, 1.0]}),
        ("binary", {"thresholds": "0.5"}),
        ("binary", {"thresholds": [0.0, None]}),
        ("multilabel", {"num_labels": 3}),
    ],
)
def test_states_of_another_shape_are_refused(task, params):
    with pytest.raises(StateError):
        bins(task=task, **params)


@pytest.mark.parametrize(
    ("quantity", "task", "given", "read"),
    [
        ("auroc", "binary", "macro", ""),
        ("auroc", "multiclass", None, "none"),
        ("auroc", "multilabel", "micro", "micro"),
        ("roc", "multiclass", "micro", "micro"),
        ("roc", "multiclass", None, "none"),
        ("precision_recall_curve", "multilabel", "whatever", "none"),
    ],
)
def test_averages_are_those_of_the_class(quantity, task, given, read):
    assert curves.read_average(quantity, task, {"average": given}) == read


def test_defaults_are_those_of_the_class():
    assert curves.read_average("auroc", "multiclass", {}) == "macro"
    assert curves.read_average("roc", "multiclass", {}) == "none"


@pytest.mark.parametrize("quantity", ["auroc", "average_precision"])
def test_an_average_that_the_class_does_not_have_is_refused(quantity):
    with pytest.raises(StateError, match="average"):
        curves.read_average(quantity, "multiclass", {"average": "micro"})


@pytest.mark.parametrize(("given", "read"), [(None, None), (1, None), (1.0, None), (0.3, 0.3)])
def test_the_limit_of_an_area(given, read):
    assert curves.read_max_fpr({"max_fpr": given}) == read


@pytest.mark.parametrize("given", [0.0, -1.0, 1.5, "0.5", float("nan"), 2])
def test_a_limit_that_makes_no_sense_is_refused(given):
    with pytest.raises(StateError, match="max_fpr"):
        curves.read_max_fpr({"max_fpr": given})
