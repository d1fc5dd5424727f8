"""Which rows say again what another row says?

Counts give more than their metric was asked for: beside a lone F1 metric, its precision and recall
are news. Where a sibling computes them from the same counts, they are a repetition.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ddpwatch.board.snapshot import Row


@dataclass(frozen=True, slots=True)
class Block:
    """All rows of one score of one metric; equal `states` mean the same states."""

    parent: str
    score: str
    average: str
    own: bool
    states: Hashable
    rows: tuple[Row, ...]

    def repeats(self, other: Block) -> bool:
        """Whether it shows the same quantity of the same parent, by state or by value."""
        if (self.parent, self.score, self.average) != (other.parent, other.score, other.average):
            return False
        return self.states == other.states or _same_values(self.rows[0], other.rows[0])


def blocks_of(states: Hashable, rows: Iterable[Row]) -> Iterator[Block]:
    """Split the rows of one metric by score."""
    for score, group in groupby(rows, key=lambda row: row.key.score):
        block = tuple(group)
        own = any(row.own for row in block)
        parent = block[0].key.metric.rpartition(".")[0]
        yield Block(parent, score, _average(block), own, states, block)


def without_repeats(blocks: Sequence[Block]) -> tuple[Row, ...]:
    """Return the rows of every block that is a metric's own, or news."""
    kept: list[Block] = []
    for block in blocks:
        told = kept if not block.own else []
        owners = (other for other in blocks if other.own and other is not block)
        if block.own or not any(block.repeats(other) for other in (*told, *owners)):
            kept.append(block)
    return tuple(row for block in kept for row in block.rows)


def _average(rows: Sequence[Row]) -> str:
    """The average of the averaged row; a metric that averages nothing has a macro row."""
    return next((row.average for row in rows if row.label is None), rows[0].average)


def _same_values(one: Row, other: Row) -> bool:
    return (
        one.label == other.label
        and one.global_ is not None
        and one.global_ == other.global_
        and np.array_equal(one.values, other.values, equal_nan=True)
    )
