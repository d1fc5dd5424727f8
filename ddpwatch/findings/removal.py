"""Between which bounds would a score lie, if some samples had not been counted?

Answered where a metric keeps tp, fp, tn and fn, per class or of all: for each class, a removed
sample is one of these four. Over several classes the bounds hold, but need not be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ddpwatch.board.snapshot import Row
from ddpwatch.findings.evidence import Held, LoaderPass
from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array

Floats: TypeAlias = NDArray[np.float64]
Score: TypeAlias = Callable[[Floats, Floats, Floats, Floats], Floats]
"""Of tp, fp, tn, fn."""

STATES = ("tp", "fp", "tn", "fn")

MOST_VALUES = 300_000
"""Combinations of what may be removed, times classes, beyond which none is looked at."""


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(below), where=below != 0)


SCORES: dict[str, Score] = {
    "f1": lambda tp, fp, _, fn: _ratio(2 * tp, 2 * tp + fp + fn),
    "precision": lambda tp, fp, _, __: _ratio(tp, tp + fp),
    "recall": lambda tp, _, __, fn: _ratio(tp, tp + fn),
    "specificity": lambda _, fp, tn, __: _ratio(tn, tn + fp),
    "accuracy": lambda tp, fp, tn, fn: _ratio(tp + tn, tp + fp + tn + fn),
}


class Counted(NamedTuple):
    """A metric's counts over all ranks, (4, K), and how many samples may be taken out of them."""

    task: str
    average: str
    counts: Floats
    removed: range


def bounds_without(loader: LoaderPass, removed: int) -> Iterator[tuple[Row, float, float]]:
    """Yield scores over all ranks, with bounds for their value without so many samples."""
    for row in loader.table.rows if loader.table is not None else ():
        if row.own and row.label is None and row.global_ is not None and row.key.score in SCORES:
            counted = _counted(loader, row, removed)
            found = None if counted is None else _bounds(row.key.score, counted)
            if found is not None:
                yield row, *found


def bounds(
    score: Score, counts: Floats, removed: range, *, pooled: bool = False
) -> tuple[float, float] | None:
    """The least and the greatest mean over K classes of a score, some samples taken out.

    `counts` is (4, K), of at least one class; None where there are too many possibilities. With
    `pooled` the counts are one count of four numbers, in which each of K labels has the samples.

    >>> bounds(SCORES["accuracy"], np.array([[2.0], [2.0], [1.0], [1.0]]), range(1, 2))
    (0.4, 0.6)
    """
    labels = counts.shape[1]
    if pooled:
        counts = counts.sum(axis=1, keepdims=True)
        removed = range(removed.start * labels, (removed.stop - 1) * labels + 1)
    most = removed.stop - 1
    if (most + 1) ** 3 * counts.shape[1] > MOST_VALUES:
        return None
    out = np.array(
        [
            (tp, fp, tn, every - tp - fp - tn)
            for every in removed
            for tp, fp, tn in product(range(every + 1), repeat=3)
            if tp + fp + tn <= every
        ],
        dtype=np.float64,
    ).T
    left = counts[:, :, np.newaxis] - out[:, np.newaxis, :]
    possible = (left >= 0).all(axis=0)
    if not np.logical_or.reduce(possible, axis=1).all():
        return None
    values = score(*np.maximum(left, 0.0))
    low = np.where(possible, values, np.inf).min(axis=1).mean()
    high = np.where(possible, values, -np.inf).max(axis=1).mean()
    return float(low), float(high)


def _bounds(score: str, of: Counted) -> tuple[float, float] | None:
    if of.task == "multiclass" and of.average == "micro":
        # One label per sample: all but the specificity are the share of right ones.
        right, wrong = of.counts[0], of.counts[3]
        whole = np.stack([right, np.zeros_like(right), np.zeros_like(right), wrong])
        return None if score == "specificity" else bounds(SCORES["accuracy"], whole, of.removed)
    if of.task == "multiclass":
        seen = of.counts[[0, 1, 3]].sum(axis=0)
        if ((seen > 0) & (seen < of.removed.stop)).any():
            return None  # a class that may vanish from the mean
        name = "recall" if score == "accuracy" else score
        return bounds(SCORES[name], of.counts[:, seen > 0], of.removed)
    return bounds(SCORES[score], of.counts, of.removed, pooled=of.average == "micro")


def _counted(loader: LoaderPass, row: Row, removed: int) -> Counted | None:
    found = [
        next((held for held in loader.held(rank) if held.metric.path == row.key.metric), None)
        for rank in loader.states
    ]
    arrays = [_counts(held) if held is not None else None for held in found]
    first = found[0] if found else None
    whole = [array for array in arrays if array is not None]
    if first is None or not whole or len(whole) < len(arrays):
        return None
    params, base = first.metric.params, first.metric.base.rpartition(".")[2]
    task = next(
        (t for t in ("binary", "multiclass", "multilabel") if base.lower().startswith(t)), ""
    )
    average = "" if task == "binary" else row.average
    if not task or average not in ("", "micro", "macro") or _is_other(params):
        return None
    total = np.sum(whole, axis=0)
    seen = sum(state.samples or 0 for state in loader.states.values())
    ignores = params.get("ignore_index") is not None
    each = total[[0, 3]] if (task, average) == ("multiclass", "micro") else total
    counted = each.sum(axis=0)
    if (counted > seen).any() or (not ignores and (counted != seen).any()):
        return None  # a sample is not one count here, as with pixels
    return Counted(task, average, total, range(0 if ignores else removed, removed + 1))


def _is_other(params: Mapping[str, Any]) -> bool:
    """Whether options make it something else than the plain mean of plain ratios."""
    return bool(params.get("zero_division")) or params.get("top_k", 1) not in (1, None)


def _counts(held: Held) -> Floats | None:
    """The four counts (4, K) that a rank holds, where these are all its states."""
    names = [spec.name for spec in held.metric.states]
    arrays = [state for state in held.state.states if isinstance(state, Array)]
    if set(names) != set(STATES) or len(arrays) != 4:
        return None
    values = dict(zip(names, (to_numpy(a).reshape(-1) for a in arrays), strict=True))
    if len({value.shape for value in values.values()}) > 1:
        return None
    return np.stack([values[name] for name in STATES]).astype(np.float64)
