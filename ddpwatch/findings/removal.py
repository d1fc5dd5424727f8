"""Between which bounds would a score lie, if some samples had not been counted?

Answered where a metric keeps one tp, fp, tn and fn: each removed sample is one of these four.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TypeAlias

from ddpwatch.board.snapshot import Row
from ddpwatch.findings.evidence import Held, LoaderPass
from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array

Counts: TypeAlias = tuple[int, int, int, int]
"""tp, fp, tn, fn."""

MOST_REMOVED = 64
"""Samples beyond which the combinations are too many to look at."""


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


SCORES: dict[str, Callable[[int, int, int, int], float]] = {
    "f1": lambda tp, fp, _, fn: _ratio(2 * tp, 2 * tp + fp + fn),
    "precision": lambda tp, fp, _, __: _ratio(tp, tp + fp),
    "recall": lambda tp, _, __, fn: _ratio(tp, tp + fn),
    "specificity": lambda _, fp, tn, __: _ratio(tn, tn + fp),
    "accuracy": lambda tp, fp, tn, fn: _ratio(tp + tn, tp + fp + tn + fn),
}


def bounds_without(loader: LoaderPass, removed: int) -> Iterator[tuple[Row, float, float]]:
    """Yield each binary score over all ranks, with its least and greatest value without some."""
    if loader.table is None or removed > MOST_REMOVED:
        return
    for row in loader.table.rows:
        if row.own and row.label is None and row.global_ is not None and row.key.score in SCORES:
            counts = _summed(loader, row.key.metric)
            if counts is not None:
                low, high = bounds(SCORES[row.key.score], counts, removed)
                yield row, low, high


def bounds(
    score: Callable[[int, int, int, int], float], counts: Counts, removed: int
) -> tuple[float, float]:
    """The least and the greatest score after taking `removed` samples out of the counts.

    >>> bounds(SCORES["accuracy"], (2, 2, 1, 1), 1)
    (0.4, 0.6)
    """
    values = [
        score(*(count - out for count, out in zip(counts, taken, strict=True)))
        for taken in _removals(counts, removed)
    ]
    return min(values), max(values)


def _removals(counts: Counts, removed: int) -> Iterator[Counts]:
    for tp, fp, tn in product(*(range(min(count, removed) + 1) for count in counts[:3])):
        fn = removed - tp - fp - tn
        if 0 <= fn <= counts[3]:
            yield tp, fp, tn, fn


def _summed(loader: LoaderPass, path: str) -> Counts | None:
    """The metric's four counts over all ranks, where it keeps just four numbers."""
    total = [0, 0, 0, 0]
    for rank in loader.states:
        held = next((each for each in loader.held(rank) if each.metric.path == path), None)
        counts = _counts(held) if held is not None else None
        if counts is None:
            return None
        total = [a + b for a, b in zip(total, counts, strict=True)]
    return total[0], total[1], total[2], total[3]


def _counts(held: Held) -> Counts | None:
    names = tuple(spec.name for spec in held.metric.states)
    arrays = [state for state in held.state.states if isinstance(state, Array)]
    if "Binary" not in held.metric.base or set(names) != {"tp", "fp", "tn", "fn"}:
        return None
    if len(arrays) != 4 or any(to_numpy(array).size != 1 for array in arrays):
        return None
    values = {n: int(to_numpy(a).reshape(())) for n, a in zip(names, arrays, strict=True)}
    return values["tp"], values["fp"], values["tn"], values["fn"]
