"""The table of metrics: names at the left, ranks that scroll, what holds for all at the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive

from ddpwatch.board.snapshot import Row, Severity, Table
from ddpwatch.tui.widgets.cells import head_spans, line_spans
from ddpwatch.tui.widgets.columns import Columns, fit
from ddpwatch.tui.widgets.grid_model import Line, LineKey, ScoreKey, build_lines, find, toggled
from ddpwatch.tui.widgets.line_list import LineList
from ddpwatch.tui.widgets.tones import Span, Spans


class MetricGrid(LineList):
    """Draws a `Table`; keeps its cursor on the same row, and its classes open, across tables."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "ranks(-1)", "Ranks to the left", show=False),
        Binding("right,l", "ranks(1)", "Ranks to the right", show=False),
        Binding("shift+left", "ranks_page(-1)", "Page of ranks to the left", show=False),
        Binding("shift+right", "ranks_page(1)", "Page of ranks to the right", show=False),
    ]

    first: reactive[int] = reactive(0)
    needle: reactive[str] = reactive("", repaint=False)

    class LineCount(Message):
        """The number of lines has changed, so more or less room is wanted."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.table: Table | None = None
        self.lines: tuple[Line, ...] = ()
        self._severities: Mapping[str, Severity] = {}
        self._opened: frozenset[ScoreKey] = frozenset()
        self._names = (0, 0)

    def show(self, table: Table | None, severities: Mapping[str, Severity] | None = None) -> None:
        """Draw another table, repainting only the lines that differ.

        `severities` are those of the findings' codes.
        """
        same_codes = (severities or {}) == self._severities
        if table is self.table and same_codes:
            return
        old_table, self.table = self.table, table
        self._severities = severities or {}
        self._rebuild(whole=not (same_codes and _same_frame(old_table, table)))

    @property
    def chosen(self) -> Line | None:
        """The line with the cursor."""
        return self.lines[self.cursor] if self.cursor < len(self.lines) else None

    @property
    def columns(self) -> Columns:
        """The layout at the present size."""
        world = len(self.table.samples) if self.table else 1
        return fit(self.inner_width, world, self.first, *self._names, logged=self._is_logged)

    def count(self) -> int:
        """How many lines there are below the head."""
        return len(self.lines)

    def key_at(self, place: int) -> LineKey:
        """The key of a line."""
        return self.lines[place].key

    def head(self) -> Spans:
        """The heads of the columns."""
        return head_spans(self.table, self.columns) if self.table else ()

    def line(self, place: int) -> Spans:
        """One row, with only those ranks that are in sight."""
        if self.table is None:
            return (Span(""),)
        return line_spans(self.lines[place], self.table, self.columns, self._severities)

    def validate_first(self, first: int) -> int:
        """Keep the ranks' columns filled."""
        world = len(self.table.samples) if self.table else 1
        return fit(self.inner_width, world, first, *self._names, logged=self._is_logged).first

    @property
    def _is_logged(self) -> bool:
        """Whether any row is reported under a logged key."""
        return self.table is not None and _reports(self.table)

    def watch_needle(self) -> None:
        """Keep only the rows that match."""
        self._rebuild(whole=True)

    def action_ranks(self, by: int) -> None:
        """Scroll the ranks; where all are in sight, open or close the classes instead."""
        columns = self.columns
        if columns.shown < columns.world:
            self.first += by
        elif self.chosen is not None and self._can_open(self.chosen) == (by > 0):
            self.action_open()

    def action_ranks_page(self, by: int) -> None:
        """Scroll the ranks by as many as are in sight."""
        self.first += by * self.columns.shown

    def action_open(self) -> None:
        """Open or close the classes of the line with the cursor."""
        line = self.chosen
        if line is not None and line.key.kind == "label":
            self._close(line.key.scored)
        elif line is not None and line.opens:
            self._opened = toggled(self._opened, line)
            self._rebuild(whole=True)

    @staticmethod
    def _can_open(line: Line) -> bool:
        """Whether the line has labels to show, rather than to hide."""
        return line.key.kind != "label" and not line.is_open

    def _close(self, score: ScoreKey) -> None:
        """Close the classes that the cursor is among, and put it on their score."""
        self._opened -= {score}
        self._rebuild(whole=True)
        home = find(self.lines, LineKey("score", *score))
        if home is not None:
            self.cursor = home

    def _rebuild(self, *, whole: bool) -> None:
        before = self.lines
        # A table without any row has only the samples, where no one has put the cursor.
        had_rows = len(before) > 1
        key = self.chosen.key if self.chosen and had_rows else None
        self.lines = (
            build_lines(self.table, self._opened, self.needle) if self.table is not None else ()
        )
        self._names = _widths(self.lines)
        if whole or len(before) != len(self.lines):
            self.refresh()
        else:
            # The samples stand last, and are those of the table, not of a row.
            self.refresh_places([*_changed(before, self.lines), len(self.lines) - 1])
        if len(before) != len(self.lines):
            self.resized()
            self.post_message(self.LineCount())
        place = self.kept_place()
        if place is None:
            place = find(self.lines, key) if had_rows else 0
        self.set_reactive(MetricGrid.cursor, self.validate_cursor(self.cursor))
        if place is not None and place != self.cursor:
            self.put(place)


def _changed(before: Sequence[Line], after: Sequence[Line]) -> list[int]:
    """Places whose line differs."""
    pairs = enumerate(zip(before, after, strict=True))
    return [place for place, (old, new) in pairs if not _same_line(old, new)]


def _same_line(old: Line, new: Line) -> bool:
    same = (old.key, old.name, old.average) == (new.key, new.name, new.average)
    if not same or old.is_open != new.is_open:
        return False
    if old.row is None or new.row is None:
        return old.row is new.row
    return _same_row(old.row, new.row)


def _same_row(old: Row, new: Row) -> bool:
    return (
        (old.reason, old.codes, old.logged) == (new.reason, new.codes, new.logged)
        and _same_number(old.logged_value, new.logged_value)
        and _same_number(old.mean, new.mean)
        and _same_number(old.global_, new.global_)
        and np.array_equal(old.values, new.values, equal_nan=True)
        and np.array_equal(old.present, new.present)
        and np.array_equal(old.samples, new.samples)
    )


def _same_number(old: float | None, new: float | None) -> bool:
    return old == new or (old is not None and new is not None and old != old and new != new)  # noqa: PLR0124 - NaN


def _same_frame(old: Table | None, new: Table | None) -> bool:
    """Whether everything outside the rows, which every line depends on, is the same."""
    if old is None or new is None:
        return False
    return (
        old.behind == new.behind
        and old.codes == new.codes
        and old.absent == new.absent
        and len(old.samples) == len(new.samples)
        and _reports(old) == _reports(new)
    )


def _reports(table: Table) -> bool:
    return any(row.logged is not None for row in table.rows)


def _widths(lines: Sequence[Line]) -> tuple[int, int]:
    """What the names and the averages want, in cells."""
    name = max((cell_len(line.name) + 4 * (line.key.kind == "label") for line in lines), default=0)
    return min(name, 48), min(max((cell_len(line.average) for line in lines), default=0), 14)
