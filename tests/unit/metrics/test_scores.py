"""Which rows does a counts metric give, in which order, and which are its own?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.metrics.evaluate import evaluate_ranks
from tests.unit.metrics.declared import (
    DATA_A,
    NEWEST,
    confusion,
    counts,
    metric,
    score,
)


def rows(tracked, states):
    """Return (name, average, own, has labels) of every score."""
    result = evaluate_ranks(tracked, states, NEWEST).local
    assert result.scores, result.reason
    return [(s.name, s.average, s.own, s.labels is not None) for s in result.scores]


def test_a_lone_macro_f1_gives_three_scores_and_their_classes():
    assert rows(metric("MulticlassF1Score", num_classes=3), DATA_A) == [
        ("f1", "macro", True, False),
        ("f1", "none", False, True),
        ("precision", "macro", False, False),
        ("precision", "none", False, True),
        ("recall", "macro", False, False),
        ("recall", "none", False, True),
    ]


def test_another_quantity_comes_before_the_derived_ones():
    names = [r[0] for r in rows(metric("MulticlassAccuracy", num_classes=3), DATA_A)]
    assert names == ["accuracy"] * 2 + ["f1"] * 2 + ["precision"] * 2 + ["recall"] * 2


def test_without_average_the_classes_are_its_own_and_the_macro_value_is_an_extra():
    came = rows(metric("MulticlassRecall", num_classes=3, average=None), DATA_A)
    assert came[:2] == [("recall", "macro", False, False), ("recall", "none", True, True)]
    assert came[2:4] == [("f1", "macro", False, False), ("f1", "none", False, True)]


def test_micro_states_are_not_told_apart_by_class():
    micro = metric("MulticlassPrecision", num_classes=3, average="micro")
    assert rows(micro, [counts(4, 1, 9, 1)]) == [
        ("precision", "micro", True, False),
        ("f1", "micro", False, False),
        ("recall", "micro", False, False),
    ]


def test_binary_scores_have_no_average():
    assert [r[1] for r in rows(metric("BinaryF1Score"), [counts(2, 2, 1, 1)])] == [""] * 3


def test_stat_scores_own_five_numbers():
    came = rows(metric("BinaryStatScores"), [counts(2, 2, 1, 1)])
    assert [r[0] for r in came if r[2]] == ["tp", "fp", "tn", "fn", "support"]
    assert [r[0] for r in came if not r[2]] == ["f1", "precision", "recall"]


def test_a_confusion_matrix_gives_its_cells_and_the_derived_scores():
    matrix = confusion("MulticlassConfusionMatrix", num_classes=3)
    came = rows(matrix, [[np.arange(9).reshape(3, 3)]])
    assert came[0] == ("confusion", "", True, True)
    assert came[1:3] == [("f1", "macro", False, False), ("f1", "none", False, True)]


@pytest.mark.parametrize(
    ("base", "name"),
    [("MulticlassMatthewsCorrCoef", "matthews_corrcoef"), ("MulticlassCohenKappa", "cohen_kappa")],
)
def test_a_coefficient_is_one_number(base, name):
    came = rows(confusion(base, num_classes=3), [[np.arange(9).reshape(3, 3)]])
    assert came[0] == (name, "", True, False)
    assert [r[0] for r in came[1:]] == ["f1", "f1", "precision", "precision", "recall", "recall"]


def test_classes_carry_the_names_of_the_metric():
    named = metric("MulticlassF1Score", labels=("cat", "dog", "emu"), num_classes=3)
    each = score(evaluate_ranks(named, DATA_A, NEWEST).local, "f1", per_class=True)
    assert each.labels == ("cat", "dog", "emu")
    assert each.values.shape == (2, 3)


def test_derived_scores_divide_as_their_owner_asks():
    """Nothing was predicted and nothing was there; accuracy itself ignores the argument."""
    lenient = metric("BinaryAccuracy", zero_division=1)
    result = evaluate_ranks(lenient, [counts(0, 0, 0, 0)], NEWEST).local
    assert score(result, "f1").values.tolist() == [1.0]
    assert score(result, "accuracy").values.tolist() == [0.0]
