"""Are the right counts read from states, and as many samples as there were?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.errors import StateError
from ddpwatch.metrics import counts as c
from ddpwatch.metrics.parameters import read_settings
from ddpwatch.metrics.rules import rules_of

RULES = rules_of({})


def settings(task, **params):
    return read_settings(task, params, RULES)


def matrix_of(target, preds, classes):
    matrix = np.zeros((1, classes, classes), np.int64)
    np.add.at(matrix[0], (target, preds), 1)
    return matrix


def stacked(*shape):
    return {name: np.ones(shape, np.int64) for name in ("tp", "fp", "tn", "fn")}


PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30)


@given(PAIRS)
def test_a_confusion_matrix_counts_every_class_against_the_rest(pairs):
    target, preds = np.array(pairs, int).reshape(-1, 2).T
    came = c.from_confusion("multiclass", matrix_of(target, preds, 4))
    for k in range(4):
        assert came.tp[0, k] == ((target == k) & (preds == k)).sum()
        assert came.fp[0, k] == ((target != k) & (preds == k)).sum()
        assert came.tn[0, k] == ((target != k) & (preds != k)).sum()
        assert came.fn[0, k] == ((target == k) & (preds != k)).sum()
    assert c.samples_of(came).tolist() == [len(pairs)]


@given(PAIRS, st.integers(0, 30))
def test_counts_of_the_parts_add_up_to_counts_of_the_whole(pairs, cut):
    target, preds = np.array(pairs, int).reshape(-1, 2).T
    whole = c.from_confusion("multiclass", matrix_of(target, preds, 4))
    head = c.from_confusion("multiclass", matrix_of(target[:cut], preds[:cut], 4))
    tail = c.from_confusion("multiclass", matrix_of(target[cut:], preds[cut:], 4))
    for name in ("tp", "fp", "tn", "fn"):
        assert (getattr(head, name) + getattr(tail, name) == getattr(whole, name)).all()


def test_a_binary_matrix_is_read_target_first():
    came = c.from_confusion("binary", np.array([[[5, 2], [3, 7]]]))
    assert [int(x[0, 0]) for x in (came.tn, came.fp, came.fn, came.tp)] == [5, 2, 3, 7]
    assert not came.labelled
    assert c.samples_of(came).tolist() == [17]


def test_a_multilabel_matrix_has_one_column_per_label():
    came = c.from_confusion("multilabel", np.array([[[[5, 2], [3, 7]], [[1, 0], [0, 2]]]]))
    assert came.tp.tolist() == [[7, 2]]
    assert came.labelled
    assert c.samples_of(came).tolist() == [17], "a label that ignored targets does not lower it"


@pytest.mark.parametrize(
    ("task", "params", "width", "labelled"),
    [
        ("binary", {}, 1, False),
        ("multiclass", {"num_classes": 4}, 4, True),
        ("multiclass", {"num_classes": 4, "average": "micro"}, 1, False),
        ("multiclass", {"num_classes": 4, "average": "micro", "top_k": 2}, 4, True),
        ("multiclass", {"num_classes": None}, 6, True),
        ("multilabel", {"num_labels": 3, "average": "micro"}, 3, True),
    ],
)
def test_the_width_of_counts_follows_task_and_average(task, params, width, labelled):
    came = c.from_stat_scores(stacked(2, width), params, settings(task, **params))
    assert came.labelled is labelled
    assert came.tp.shape == (2, width)
    with pytest.raises(StateError, match="state tp: expected"):
        c.from_stat_scores(stacked(2, width, 1), params, settings(task, **params))


def test_a_lying_number_of_classes_is_noticed():
    params = {"num_classes": 5}
    with pytest.raises(StateError, match=r"state tp: expected \(5,\), got \(3,\)"):
        c.from_stat_scores(stacked(2, 3), params, settings("multiclass", **params))


def test_four_states_of_different_widths_are_noticed():
    states = {**stacked(2, 3), "fn": np.ones((2, 4), np.int64)}
    with pytest.raises(StateError, match="of one shape"):
        c.from_stat_scores(states, {}, settings("multiclass"))


@pytest.mark.parametrize(
    ("task", "params", "shape"),
    [
        ("binary", {}, (2, 2)),
        ("multiclass", {"num_classes": 4}, (4, 4)),
        ("multiclass", {}, (4, 4)),
        ("multilabel", {"num_labels": 3}, (3, 2, 2)),
    ],
)
def test_the_shape_of_a_matrix_follows_the_task(task, params, shape):
    assert c.take_confusion({"confmat": np.ones((5, *shape), int)}, task, params).shape[0] == 5
    wrong = np.ones((5, *shape[:-1], shape[-1] + 1), int)
    with pytest.raises(StateError, match="state confmat: expected"):
        c.take_confusion({"confmat": wrong}, task, params)


def test_pooling_sums_over_classes():
    pooled = c.from_confusion("multiclass", np.array([[[1, 2], [3, 4]]])).pooled()
    assert [x.tolist() for x in (pooled.tp, pooled.fp, pooled.fn)] == [[[5]], [[5]], [[5]]]
    assert not pooled.labelled


def test_float_counts_that_are_no_number_of_samples_are_unknown():
    assert c.as_samples(np.array([3.0, np.nan, np.inf, 1e300])).tolist() == [3, -1, -1, -1]


def test_names_are_used_only_where_they_fit():
    assert c.names_of(("cat", "dog"), 2) == ("cat", "dog")
    assert c.names_of(("cat", "dog"), 3) == ("", "", "")
