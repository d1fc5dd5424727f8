"""Is each quotient the one its name promises, in every task and average?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.metrics.counts import Counts
from ddpwatch.metrics.parameters import read_settings
from ddpwatch.metrics.ratios import RATIOS, jaccard
from ddpwatch.metrics.rules import rules_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

NEW, OLD = rules_of({"torchmetrics": "1.9.0"}), rules_of({"torchmetrics": "1.0.3"})


def counts(task, tp, fp, tn, fn):
    return Counts(task, task != "binary", *(np.array([part]) for part in (tp, fp, tn, fn)))


BINARY = counts("binary", [2], [2], [1], [1])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accuracy", 3 / 6),
        ("precision", 2 / 4),
        ("recall", 2 / 3),
        ("f1", 4 / 7),
        ("fbeta", 5 * 2 / (5 * 2 + 4 * 1 + 2)),
        ("specificity", 1 / 3),
        ("hamming_distance", 3 / 6),
        ("npv", 1 / 2),
    ],
)
def test_binary_quotients(name, value):
    settings = read_settings("binary", {"beta": 2.0}, NEW)
    each = RATIOS[name].each(BINARY, settings)
    assert np.allclose(each, value)
    assert np.allclose(RATIOS[name].average(each, BINARY, settings, ""), value)


def test_accuracy_means_another_thing_in_multiclass():
    many = counts("multiclass", [1, 2], [1, 0], [2, 1], [0, 1])
    labels = counts("multilabel", [1, 2], [1, 0], [2, 1], [0, 1])
    settings = read_settings("multiclass", {}, NEW)
    assert np.allclose(RATIOS["accuracy"].each(many, settings), [[1, 2 / 3]])
    assert np.allclose(RATIOS["accuracy"].each(labels, settings), [[3 / 4, 3 / 4]])


def test_micro_pools_before_it_divides():
    many = counts("multiclass", [1, 2], [1, 0], [2, 1], [0, 1])
    settings = read_settings("multiclass", {"average": "micro"}, NEW)
    precision = RATIOS["precision"]
    each = precision.each(many, settings)
    assert np.allclose(precision.average(each, many, settings, "micro"), 3 / 4)


@pytest.mark.parametrize(("rules", "value"), [(NEW, 0.75), (OLD, 0.5)])
def test_top_k_reaches_macro_weights_since_it_does_in_torchmetrics(rules, value):
    """The third class was predicted among the top 2 but has no targets."""
    many = counts("multiclass", [1, 1, 0], [0, 1, 2], [0, 0, 0], [0, 0, 0])
    settings = read_settings("multiclass", {"top_k": 2}, rules)
    precision = RATIOS["precision"]
    each = precision.each(many, settings)
    assert np.allclose(precision.average(each, many, settings, "macro"), value)


def test_top_k_does_not_reach_f1():
    many = counts("multiclass", [1, 1, 0], [0, 0, 2], [0, 0, 0], [0, 0, 0])
    settings = read_settings("multiclass", {"top_k": 2}, NEW)
    each = RATIOS["f1"].each(many, settings)
    assert np.allclose(RATIOS["f1"].average(each, many, settings, "macro"), 2 / 3)


EMPTY = counts("binary", [0], [0], [3], [0])


@pytest.mark.parametrize("name", RATIOS)
def test_zero_division_acts_in_f1_precision_and_recall_only(name):
    acts = name in {"f1", "fbeta", "precision", "recall"}
    nothing = counts("binary", [0], [0], [0], [0])
    settings = read_settings("binary", {"zero_division": 0.5}, NEW)
    without = {"hamming_distance": 1.0}.get(name, 0.0)
    assert RATIOS[name].each(nothing, settings).tolist() == [[0.5 if acts else without]]


def index(task, params, rules=NEW):
    settings = read_settings(task, params, rules)

    def value(c):
        quantity = jaccard(c, params.get("ignore_index"))
        return quantity.average(quantity.each(c, settings), c, settings, settings.average)

    return value


def test_jaccard_is_intersection_over_union():
    assert np.allclose(index("binary", {})(BINARY), 2 / 5)


def test_an_empty_binary_jaccard_was_not_a_number_before_1_4_2():
    assert index("binary", {"zero_division": 1})(EMPTY).tolist() == [1.0]
    assert np.isnan(index("binary", {}, OLD)(EMPTY)).all()


MANY = counts("multiclass", [2, 1, 0, 0], [1, 0, 0, 1], [0] * 4, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("params", "value"),
    [
        ({"average": "macro"}, (2 / 3 + 1 / 2 + 0) / 3),
        ({"average": "macro", "ignore_index": 3}, (2 / 3 + 1 / 2) / 2),
        ({"average": "macro", "ignore_index": -1}, (2 / 3 + 1 / 2 + 0) / 3),
        ({"average": "macro", "ignore_index": 4}, (2 / 3 + 1 / 2 + 0) / 3),
        ({"average": "micro"}, 3 / 7),
        ({"average": "micro", "ignore_index": 3}, 3 / 5),
        ({"average": "weighted"}, (2 * 2 / 3 + 2 * 1 / 2 + 0) / 5),
    ],
)
def test_jaccard_averages_in_its_own_way(params, value):
    assert np.allclose(index("multiclass", params)(MANY), value)


def test_jaccard_of_nothing_is_not_a_number():
    nothing = counts("multiclass", [0, 0], [0, 0], [0, 0], [0, 0])
    with np.errstate(all="ignore"):
        assert np.isnan(index("multiclass", {"average": "macro"})(nothing)).all()
        assert np.isnan(index("multiclass", {"average": "weighted"})(nothing)).all()


def test_ignore_index_means_no_label_in_multilabel():
    labels = counts("multilabel", [2, 0], [0, 2], [0, 0], [0, 0])
    assert np.allclose(index("multilabel", {"ignore_index": 1})(labels), 0.5)
