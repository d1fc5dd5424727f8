"""What is worth a line while a run goes on? Passes that ended, and ranks that came to grief."""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.board import Board
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import PassKey, Row, Table
from ddpwatch.numbers import plain_number
from ddpwatch.text import visible


class Narrator:
    """Remembers what has been told, so that everything is told once."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._told: set[tuple[str, PassKey]] = set()
        self._status: dict[tuple[str, int], str] = {}
        self._ended: set[str] = set()
        self._is_live = True

    def link(self, board: Board) -> Iterator[str]:
        """Yield a line when the hub that is looked on through is gone or there again."""
        if board.is_live != self._is_live:
            self._is_live = board.is_live
            where = visible(board.address)
            is_back = f"looking on through the hub at {where}"
            yield is_back if board.is_live else f"waiting for a hub at {where}"

    def news(self, board: Board) -> Iterator[str]:
        """Yield lines about what has come since the last call."""
        for run in board.runs.values():
            yield from self._beginning(run)
            yield from self._passes(run, board.now)
            yield from self._ranks(run, board.now)

    def ended(self, board: Board) -> Iterator[Run]:
        """Yield runs that have ended since the last call."""
        for run in board.runs.values():
            if run.run not in self._ended and run.has_ended(board.now):
                self._ended.add(run.run)
                yield run

    def _beginning(self, run: Run) -> Iterator[str]:
        if run.name and run.run not in self._begun:
            self._begun.add(run.run)
            ranks = "1 rank" if run.world_size == 1 else f"{run.world_size} ranks"
            yield f"run {visible(run.name)} has begun on {ranks}"

    def _passes(self, run: Run, now: float) -> Iterator[str]:
        for key in list(run.passes):
            if (run.run, key) in self._told or not run.is_closed(key, now):
                continue
            self._told.add((run.run, key))
            table = run.table(key, now)
            if table is not None and table.rows:
                yield pass_line(table)

    def _ranks(self, run: Run, now: float) -> Iterator[str]:
        for rank in run.ranks.values():
            status = rank.status(now)
            before = self._status.get((run.run, rank.rank))
            self._status[run.run, rank.rank] = status
            if status == before or (status == "live" and before != "silent"):
                continue
            if status == "live":
                yield f"rank {rank.rank} is heard again"
            elif status == "silent":
                hook = f", last in {visible(rank.pulse.hook)}" if rank.pulse else ""
                yield f"rank {rank.rank} is silent{hook}"
            elif status == "failed":
                yield f"rank {rank.rank} failed: {visible(rank.exception)}"


def pass_line(table: Table) -> str:
    """One line for one finished pass: every averaged value over all ranks, and the ranks' mean."""
    key = table.key
    loader = f" dataloader {key.dataloader}" if key.dataloader else ""
    parts = [_row(row) for row in table.rows if row.label is None]
    known = table.samples[table.samples >= 0]
    if len(known):
        parts.append(f"{int(known.sum())} samples")
    if table.note:
        parts.append(table.note)
    return "  ".join((f"{key.stage} epoch {key.epoch}{loader}", *parts))


def _row(row: Row) -> str:
    name = visible(f"{row.key.metric}.{row.key.score}" if not row.own else row.key.metric)
    if row.global_ is None:
        return f"{name} unknown ({visible(row.reason)})"
    mean = "" if row.mean is None else f" (mean of ranks {plain_number(row.mean)})"
    return f"{name} {plain_number(row.global_)}{mean}"
