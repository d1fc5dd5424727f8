"""Do the bounds of a score hold whichever samples are taken out?"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from ddpwatch.board.snapshot import RowKey
from ddpwatch.findings.removal import STATES, bounds_without
from tests.unit.findings.builders import (
    array,
    loader_pass,
    measured_row,
    metric,
    spec,
    state,
    updated,
)

SKLEARN = {"f1": f1_score, "precision": precision_score, "recall": recall_score}
CLASSES = {"f1": "F1Score", "precision": "Precision", "recall": "Recall"}
PAIRS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=9)
LABELS = st.lists(
    st.tuples(*[st.tuples(*[st.integers(0, 1)] * 2)] * 2), min_size=3, max_size=6
)  # fmt: skip


def counts_of(pred: np.ndarray, target: np.ndarray) -> np.ndarray:
    """tp, fp, tn, fn of each column of zeros and ones."""
    return np.stack(
        [
            (pred & target).sum(axis=0), (pred & ~target).sum(axis=0),
            (~pred & ~target).sum(axis=0), (~pred & target).sum(axis=0),
        ]
    )  # fmt: skip


def bounds(
    task: str,
    score: str,
    average: str,
    counts: np.ndarray,
    samples: int,
    *,
    removed: int,
    **params: Any,
) -> list[tuple[float, float]]:
    name = f"{task.capitalize()}{CLASSES[score]}"
    held = metric("m", name, *(spec(each) for each in STATES), params=params)
    zero = updated(*(array(np.zeros_like(part)) for part in counts))
    states = [state(updated(*map(array, counts)), samples=samples), state(zero, samples=0)]
    row = measured_row(RowKey("m", score), [0.5, 0.5], 0.5, average=average)
    found = bounds_without(loader_pass(states, held, rows=[row]), removed)
    return [(low, high) for _, low, high in found]


def whichever(
    score: str, average: str, pred: np.ndarray, target: np.ndarray, out: int
) -> list[float]:
    """The score without any `out` samples."""
    keep = [list(c) for c in combinations(range(len(pred)), len(pred) - out)]
    how = SKLEARN[score]
    return [how(target[k], pred[k], average=average, zero_division=0) for k in keep]


@given(PAIRS, st.sampled_from(sorted(SKLEARN)), st.integers(1, 2))
def test_macro_of_classes(pairs: list[tuple[int, int]], score: str, out: int) -> None:
    pred, target = (np.array(side) for side in zip(*pairs, strict=True))
    hot = np.eye(3, dtype=bool)
    found = bounds(
        "multiclass", score, "macro", counts_of(hot[pred], hot[target]), len(pred), removed=out
    )
    seen = np.bincount(np.concatenate([pred, target[pred != target]]), minlength=3)
    if any(0 < count <= out for count in seen):
        assert not found
        return
    values = whichever(score, "macro", pred, target, out)
    ((low, high),) = found
    assert low - 1e-9 <= min(values) <= max(values) <= high + 1e-9


@given(PAIRS, st.sampled_from(sorted(SKLEARN)), st.integers(1, 3))
def test_micro_of_classes_is_reached(pairs: list[tuple[int, int]], score: str, out: int) -> None:
    pred, target = (np.array(side) for side in zip(*pairs, strict=True))
    hot = np.eye(3, dtype=bool)
    counts = counts_of(hot[pred], hot[target]).sum(axis=1, keepdims=True)
    values = whichever(score, "micro", pred, target, out)
    ((low, high),) = bounds("multiclass", score, "micro", counts, len(pred), removed=out)
    assert (low, high) == pytest.approx((min(values), max(values)))


@given(LABELS, st.sampled_from(["macro", "micro"]), st.sampled_from(sorted(SKLEARN)))
def test_labels(samples: Any, average: str, score: str) -> None:
    pred, target = (np.array(side) for side in zip(*samples, strict=True))
    counts = counts_of(pred.astype(bool), target.astype(bool))
    values = whichever(score, average, pred, target, 1)
    ((low, high),) = bounds("multilabel", score, average, counts, len(pred), removed=1)
    assert low - 1e-9 <= min(values) <= max(values) <= high + 1e-9


BINARY = np.array([[2], [2], [1], [1]])


def test_ignored_samples_may_be_the_repeated_ones() -> None:
    ((low, high),) = bounds("binary", "f1", "", BINARY, 7, removed=1, ignore_index=-1)
    assert (low, high) == pytest.approx((0.4, 2 / 3))
    assert not bounds("binary", "f1", "", BINARY, 7, removed=1), "six counts of seven samples"


@pytest.mark.parametrize(
    ("samples", "params"),
    [(6, {"zero_division": 1.0}), (6, {"top_k": 2}), (3, {})],
)
def test_nothing_is_said_of_what_is_counted_otherwise(samples: int, params: dict[str, Any]) -> None:
    assert not bounds("binary", "f1", "", BINARY, samples, removed=1, **params)


def test_nothing_is_said_of_too_many_possibilities() -> None:
    assert not bounds("binary", "f1", "", BINARY * 100, 600, removed=100)
