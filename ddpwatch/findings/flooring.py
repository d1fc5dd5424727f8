"""By how much does an integer sample count inflate a synced mean?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ddpwatch.board.entries import entries_of
from ddpwatch.board.snapshot import LoggedRow
from ddpwatch.findings.evidence import PassEvidence
from ddpwatch.wire.messages import LoggedKey


class Flooring(NamedTuple):
    """The summed batch sizes of all ranks, what their mean was cut to, the mean without the cut."""

    total: float
    cut_to: int
    factor: float
    mean: float


def keys_of(row: LoggedRow, taken: PassEvidence) -> dict[int, LoggedKey]:
    """What each rank said about a row's key."""
    return {
        rank: entry.key
        for rank, said in taken.said.items()
        for entry in entries_of(rank, said)
        if entry.id == row.id
    }


def flooring_of(row: LoggedRow, taken: PassEvidence) -> Flooring | None:
    """The inflation of a floored row, None where it has none or the weights are not known."""
    if row.reduction != "mean-of-batches-floored":
        return None
    keys = list(keys_of(row, taken).values())
    ranks = len(row.called)
    total = sum(key.weight for key in keys)
    cut_to = int(total / ranks)
    if len(keys) < ranks or cut_to < 1 or cut_to == total / ranks:
        return None
    mean = sum(_sums(keys)) / total
    return Flooring(total, cut_to, total / ranks / cut_to, mean)


def _sums(keys: list[LoggedKey]) -> Iterator[float]:
    return (key.weighted_sum for key in keys)
