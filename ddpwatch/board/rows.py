"""How does what the ranks hold of one metric become rows of a table?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddpwatch.board.measured import Measured
from ddpwatch.board.snapshot import Row, RowKey
from ddpwatch.metrics.values import Evaluation, Score


@dataclass(frozen=True, slots=True)
class Column:
    """One value per rank, and the one over all ranks (None where it cannot be formed)."""

    score: Score
    index: int
    label: str | None
    local: NDArray[np.float64]
    global_: float | None


def rows_of(measured: Measured, versions: Mapping[str, str]) -> tuple[Row, ...]:
    """Return each score's averaged value, then its labels in class order; at least one row."""
    found = measured.evaluate(versions)
    reason = found.global_.reason or found.local.reason
    if not found.local.scores:
        return (_empty_row(measured, reason),)
    samples = measured.samples(found)
    present = measured.present()
    return tuple(
        _row(measured, column, present, samples, reason)
        for column in columns(found.local, found.global_)
    )


def columns(local: Evaluation, global_: Evaluation) -> Iterator[Column]:
    """Pair the local values of every score and label with the global one."""
    whole = global_.scores or (None,) * len(local.scores)
    for score, over_all in zip(local.scores, whole, strict=True):
        if score.labels is None:
            value = None if over_all is None else float(over_all.values[0])
            yield Column(score, -1, None, score.values, value)
            continue
        for index, label in enumerate(score.labels):
            value = None if over_all is None else float(over_all.values[0, index])
            yield Column(score, index, label or str(index), score.values[:, index], value)


def short_class(cls: str) -> str:
    """The class name without its module."""
    return cls.rsplit(".", 1)[-1]


def _row(
    measured: Measured,
    column: Column,
    present: NDArray[np.bool_],
    samples: NDArray[np.int64],
    reason: str,
) -> Row:
    values = measured.by_rank(column.local)
    complete = not measured.obstacle and bool(present.any())
    mean = float(values[present].mean()) if complete else None
    return Row(
        key=RowKey(measured.metric.path, column.score.name, column.index),
        cls=short_class(measured.metric.cls),
        average=column.score.average,
        own=column.score.own,
        label=column.label,
        values=values,
        present=present,
        samples=samples,
        mean=mean,
        global_=column.global_,
        gap=None if mean is None or column.global_ is None else mean - column.global_,
        reason="" if column.global_ is not None else reason,
    )


def _empty_row(measured: Measured, reason: str) -> Row:
    """A metric whose values cannot be computed here: it is there, and says why."""
    nothing = np.full(measured.world_size, np.nan)
    unknown = np.full(measured.world_size, -1, dtype=np.int64)
    nothing.flags.writeable = unknown.flags.writeable = False
    cls = short_class(measured.metric.cls)
    return Row(
        key=RowKey(measured.metric.path, cls),
        cls=cls,
        average="",
        own=True,
        label=None,
        values=nothing,
        present=np.zeros(measured.world_size, dtype=bool),
        samples=unknown,
        mean=None,
        global_=None,
        gap=None,
        reason=reason,
    )
