"""What came of a recording? Its runs as they were at its end, each with its report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from ddpwatch.board.board import Board
from ddpwatch.board.run import Run
from ddpwatch.errors import UsageError
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.findings.gathering import PAUSE
from ddpwatch.report.document import Report, build_report
from ddpwatch.text import visible
from ddpwatch.wire.stamped import Item

MOST_NAMED = 20
"""Runs that an error names."""


class Recording(Protocol):
    """What a file of a watched run has to offer. Times are seconds of wall time."""

    @property
    def start(self) -> float:
        """When its first item came."""
        ...

    @property
    def end(self) -> float:
        """When its last item came."""
        ...

    @property
    def is_cut_short(self) -> bool:
        """Whether it ends where nobody closed it."""
        ...

    @property
    def is_told(self) -> bool:
        """Whether who recorded it looked for faults, and told what was found."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong with its files, for people."""
        ...

    def items(self) -> Iterator[Sequence[Item]]:
        """Yield everything, in the order in which it came."""
        ...

    def final(self) -> Iterator[Sequence[Item]]:
        """Yield what is enough to know how it ended."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command says: `text` on stdout, `remarks` on stderr, and its exit code."""

    text: str
    code: int = 0
    remarks: tuple[str, ...] = ()


def end_of(recording: Recording, also: Callable[[Sequence[Item]], None] | None = None) -> Board:
    """Return a board that knows what the recording ended with, its findings as they were told.

    Where nobody looked for faults, as in the files of ranks that had no hub, it is done here.
    `also` is given every batch as well, so that the files are read once.
    """
    # What was found while it was recorded is in there; looking once more would only find less.
    diagnosis = Diagnosis(looks=not recording.is_told)
    board = Board(diagnosis=diagnosis)
    for batch in recording.final() if recording.is_told else in_looks(recording.items()):
        board.fold(batch)
        for run in () if recording.is_told else board.runs.values():
            board.findings(run)
        if also is not None:
            also(batch)
    for run in board.runs.values():
        diagnosis.conclude(run, board.now)
    return board


def in_looks(batches: Iterable[Sequence[Item]]) -> Iterator[list[Item]]:
    """Yield the items in batches that are as short, in their own time, as one look takes."""
    found: list[Item] = []
    for item in chain.from_iterable(batches):
        if found and item.at - found[0].at >= PAUSE:
            yield found
            found = []
        found.append(item)
    if found:
        yield found


def reports_of(board: Board, wanted: str | None = None) -> tuple[Report, ...]:
    """Return the report of every run, or of the one that is `wanted`, by id or name.

    Raises:
        UsageError: no run is in there, or none that is wanted.
    """
    runs = chosen(board, wanted)
    return tuple(build_report(run, board.now, board.findings(run)) for run in runs)


def chosen(board: Board, wanted: str | None) -> tuple[Run, ...]:
    """Return all runs, or those that are `wanted` by id or name; at least one.

    Raises:
        UsageError: there is none.
    """
    runs = tuple(board.runs.values())
    if not runs:
        raise UsageError(
            "expected a recording of at least one run, got one in which no rank has said a word: "
            "was it made while the training ran?"
        )
    if wanted is None:
        return runs
    found = tuple(run for run in runs if run.run == wanted)
    found = found or tuple(run for run in runs if run.name == wanted)
    if not found:
        raise UsageError(f"expected a run of this recording, got {wanted!r}: {names_of(runs)}")
    return found


def names_of(runs: Sequence[Run]) -> str:
    """Say which runs are there, by id and name."""
    named = [f"{visible(run.run, 60)} ({visible(run.name or run.run, 60)})" for run in runs]
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return "there are " + ", ".join(named[:MOST_NAMED]) + more


def remarks_on(recording: Recording, board: Board, name: str = "the recording") -> tuple[str, ...]:
    """What a reader should know of the files themselves, a line each.

    `board` has folded them to the end.
    """
    said = []
    if recording.is_cut_short:
        said.append(f"{name} was cut short: what came after its last whole part is not in it")
    if unread := sum(board.rejected.values()):
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(board.rejected.items()))
        said.append(
            f"{name} holds {unread} messages that were not understood ({visible(kinds)}): "
            "a later version of ddpwatch may read them"
        )
    return (*said, *(visible(note) for note in recording.notes))
