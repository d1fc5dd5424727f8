"""What do several rules ask of a logged key: which rows, whose values, may they be compared yet?"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from ddpwatch.board.snapshot import LoggedRow
from ddpwatch.findings.evidence import PassEvidence
from ddpwatch.findings.sameness import differs


def epoch_rows(taken: PassEvidence) -> Iterator[LoggedRow]:
    """Rows that stand for a whole epoch; the sanity check logs nothing that is kept."""
    if taken.key.stage != "sanity_check":
        yield from (row for row in taken.rows if row.id.kind == "epoch")


def ended_rows(taken: PassEvidence) -> Iterator[LoggedRow]:
    """The same once every rank has said its last word: one rank's own may look like anything."""
    if taken.logged is not None and taken.logged.final:
        yield from epoch_rows(taken)


def held_values(row: LoggedRow) -> dict[int, float]:
    """What each rank that logged a key holds of its own, else what it ended with."""
    return {
        int(rank): float(row.ranks[rank] if isnan(row.local[rank]) else row.local[rank])
        for rank in row.called.nonzero()[0]
    }


def ended_values(row: LoggedRow) -> dict[int, float]:
    """What the Lightning of each rank ended with."""
    return {int(rank): float(row.ranks[rank]) for rank in row.ended.nonzero()[0]}


def was_global(row: LoggedRow) -> bool:
    """Whether every rank held the value over all ranks before any sync, as a plain tensor."""
    if row.source.startswith("metric ") or row.global_ is None or not row.called.all():
        return False
    return not any(differs(value, row.global_) for value in held_values(row).values())


def is_comparable(row: LoggedRow, taken: PassEvidence, world_size: int) -> bool:
    """Whether the ranks' values are of the same moment: as many calls each, or all at the end."""
    if taken.logged is not None and taken.logged.final:
        return True
    return taken.is_said(world_size) or (
        bool(row.called.all()) and bool((row.calls == row.calls[0]).all())
    )
