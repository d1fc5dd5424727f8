"""The track of a replay: where does it stand, and which marks lie along it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from ddpwatch.board.snapshot import Mark, Playback
from ddpwatch.tui.widgets.finding_model import GLYPHS, ORDER
from ddpwatch.tui.widgets.tones import Span, Spans, Tone

PLAYED, OPEN, HERE = "━", "─", "●"
EPOCH_PLAYED, EPOCH_OPEN, PART = "┿", "┼", "╫"

EACH_TICK = 3
"""Cells of the track for every tick of an epoch; where there are more, only each n-th is drawn."""


def track_spans(playback: Playback, width: int) -> Spans:
    """The track in exactly `width` cells; of the marks in one cell, the gravest is drawn."""
    if width <= 0:
        return ()
    here = cell_at(playback, playback.at, width)
    marks = _by_cell(playback, width)
    cells: list[Span] = []
    for cell in range(width):
        if cell == here:
            cells.append(Span(HERE, "global"))
        elif cell in marks:
            cells.append(_mark_span(marks[cell], is_played=cell < here))
        else:
            cells.append(_rail(is_played=cell < here))
    return tuple(
        Span("".join(span.text for span in run), tone)
        for tone, run in groupby(cells, key=lambda span: span.tone)
    )


def cell_at(playback: Playback, at: float, width: int) -> int:
    """The cell of a time; what lies outside the recording is in its first or last cell."""
    length = playback.end - playback.start
    if length <= 0 or width <= 1:
        return 0
    share = min(max((at - playback.start) / length, 0.0), 1.0)
    return round(share * (width - 1))


def time_at(playback: Playback, cell: int, width: int) -> float:
    """The time of a cell: its first cell is the begin of the recording, its last the end."""
    share = min(max(cell / (width - 1), 0.0), 1.0) if width > 1 else 0.0
    return playback.start + share * (playback.end - playback.start)


def gravest(marks: Iterable[Mark]) -> Mark:
    """Of several marks the one to draw: findings by severity, then parts, then epochs."""
    return min(marks, key=_weight)


def thinned(cells: Sequence[int], width: int) -> list[int]:
    """As many of the epochs' cells as leave the track legible: each one, or each n-th of a round n.

    >>> thinned([2, 5, 8], 12), thinned(range(12), 12)
    ([2, 5, 8], [4, 9])
    """
    room, scale = max(1, width // EACH_TICK), 1
    while True:
        for factor in (1, 2, 5):
            every = factor * scale
            kept = list(cells[every - 1 :: every])
            if len(kept) <= room:
                return kept
        scale *= 10


def _weight(mark: Mark) -> int:
    if mark.kind == "finding":
        return ORDER.index(mark.severity or "info")
    return len(ORDER) + (mark.kind == "epoch")


def _by_cell(playback: Playback, width: int) -> dict[int, Mark]:
    """What is drawn in each cell that has a mark."""
    placed = [(cell_at(playback, mark.at, width), mark) for mark in playback.marks]
    epochs = [cell for cell, mark in placed if mark.kind == "epoch"]
    # Each n-th epoch, counted, not each n-th cell: those would be of no even number of epochs.
    ticks = set(thinned(epochs, width))
    found: dict[int, list[Mark]] = {}
    for cell, mark in placed:
        if mark.kind != "epoch" or cell in ticks:
            found.setdefault(cell, []).append(mark)
    return {cell: gravest(marks) for cell, marks in found.items()}


def _mark_span(mark: Mark, *, is_played: bool) -> Span:
    if mark.kind == "finding":
        return Span(*GLYPHS[mark.severity or "info"])
    tone: Tone = "muted" if is_played else "faint"
    if mark.kind == "part":
        return Span(PART, "muted")
    return Span(EPOCH_PLAYED if is_played else EPOCH_OPEN, tone)


def _rail(*, is_played: bool) -> Span:
    return Span(PLAYED, "muted") if is_played else Span(OPEN, "faint")
