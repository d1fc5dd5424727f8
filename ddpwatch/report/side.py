"""What is there of one run to be compared with another's? The ends of its stages, and its pace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddpwatch.board.board import Board
from ddpwatch.board.joined import table_with_logged
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import Finding, LoggedRow, Table
from ddpwatch.errors import UsageError
from ddpwatch.report.pace import Pace, Stopwatch
from ddpwatch.report.recorded import chosen, names_of


@dataclass(frozen=True, slots=True)
class Ending:
    """The last pass of a stage over a dataloader; `table` has what was logged beside its rows."""

    table: Table
    logged: tuple[LoggedRow, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One run; `endings` by stage and dataloader, in the order in which they began."""

    run: str
    name: str
    world_size: int
    pace: Pace
    endings: dict[tuple[str, int], Ending]
    findings: tuple[Finding, ...]


def side_of(board: Board, stopwatch: Stopwatch, wanted: str | None, option: str) -> Side:
    """Return the one run that there is, or the one that is `wanted` by id or name.

    Board and stopwatch have folded the same; `option` is that by which the user says which run.

    Raises:
        UsageError: there is none, or it is not clear which.
    """
    runs = chosen(board, wanted)
    if len(runs) > 1:
        raise UsageError(
            f"expected one run to compare, got {len(runs)}: {names_of(runs)}; "
            f"name one by its id with {option}"
        )
    return _side(board, runs[0], stopwatch.pace(runs[0].run))


def _side(board: Board, run: Run, pace: Pace) -> Side:
    findings = board.findings(run)
    last = {(e.table.key.stage, e.table.key.dataloader): e for e in _endings(run, board, findings)}
    real = {place: ending for place, ending in last.items() if place[0] != "sanity_check"}
    return Side(run.run, run.name or run.run, run.world_size, pace, real or last, findings)


def _endings(run: Run, board: Board, findings: tuple[Finding, ...]) -> Iterator[Ending]:
    """Every pass in which anything was measured or logged."""
    for key in list(run.passes):
        table, logged = run.table(key, board.now), run.logged(key, board.now)
        if table is None:
            continue
        loaders = (key.dataloader, -1) if key.dataloader == 0 else (key.dataloader,)
        rows = logged.rows if logged is not None else ()
        here = tuple(row for row in rows if row.id.dataloader in loaders)
        if table.rows or here:
            yield Ending(table_with_logged(table, logged, findings), here)
