"""The lines of the Logged screen: a name, how its value came about, and a column for every rank."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.reactive import reactive

from ddpwatch.board.snapshot import Severity
from ddpwatch.numbers import plain_number
from ddpwatch.text import pad, shorten
from ddpwatch.tui.widgets.cells import gap_span
from ddpwatch.tui.widgets.columns import Columns, fit, rank_title
from ddpwatch.tui.widgets.finding_model import codes_span
from ddpwatch.tui.widgets.line_list import HEAD, LineList
from ddpwatch.tui.widgets.logged_model import HOLE, Entry
from ddpwatch.tui.widgets.tones import Span, Spans


class LoggedGrid(LineList):
    """Draws entries; ranks scroll, what holds for all stays at the right."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "ranks(-1)", "Ranks to the left", show=False),
        Binding("right,l", "ranks(1)", "Ranks to the right", show=False),
        Binding("shift+left", "ranks_page(-1)", "Page of ranks to the left", show=False),
        Binding("shift+right", "ranks_page(1)", "Page of ranks to the right", show=False),
    ]

    first: reactive[int] = reactive(0)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.entries: tuple[Entry, ...] = ()
        self._world = 1
        self._valued = True
        self._severities: Mapping[str, Severity] = {}
        self._wide = _Wide()
        self._drawn: dict[int, Spans] = {}

    def show(
        self,
        entries: tuple[Entry, ...],
        world: int,
        severities: Mapping[str, Severity] | None = None,
        *,
        valued: bool,
    ) -> None:
        """Draw these lines, repainting only those that differ.

        `valued` says that they have global values, gaps and codes.
        """
        chosen, before = self.chosen, len(self.entries)
        self._severities = severities or {}
        self.entries, self._world, self._valued = entries, max(world, 1), valued
        self._wide = _widths(entries)
        self.resized()
        self._repaint(whole=len(entries) != before)
        same = [p for p, entry in enumerate(entries) if chosen and entry.key == chosen.key]
        kept = self.kept_place()
        self.set_reactive(LoggedGrid.cursor, self.validate_cursor(self.cursor))
        self.put(kept if kept is not None else same[0] if same else self.cursor)

    @property
    def chosen(self) -> Entry | None:
        """The line with the cursor."""
        return self.entries[self.cursor] if self.cursor < len(self.entries) else None

    @property
    def columns(self) -> Columns:
        """The layout at the present size."""
        return self._fit(self.first)

    def count(self) -> int:
        """How many lines there are."""
        return len(self.entries)

    def key_at(self, place: int) -> Hashable:
        """The key of an entry."""
        return self.entries[place].key

    def head(self) -> Spans:
        """The heads of the columns."""
        columns = self.columns
        left = columns.name + (columns.average + 2 if columns.average else 0)
        hidden = f"{columns.world} ranks" if columns.shown < columns.world else ""
        spans = [Span(pad(hidden, left), "faint"), Span("«" if columns.hidden_left else " ", "key")]
        for rank in columns.ranks:
            title = rank_title(rank, columns.world, columns.value)
            spans.append(Span(title.rjust(columns.rank - 1) + " ", "muted"))
        beyond = columns.hidden_right
        spans.append(Span("»" if beyond else "│", "key" if beyond else "faint"))
        if self._valued:
            spans.append(Span("GLOBAL".rjust(columns.global_), "strong"))
            if columns.logged:
                spans.append(Span("logged".rjust(columns.logged), "muted"))
            spans.append(Span("gap".rjust(columns.gap - 2), "muted"))
        return tuple(spans)

    def line(self, place: int) -> Spans:
        """One entry, with only those ranks that are in sight."""
        entry, columns = self.entries[place], self.columns
        seen = columns.ranks
        spans = [*_left(entry, columns, self._wide), _edge(entry, range(seen.start), " ")]
        for rank in seen:
            text, tone = entry.cell(rank, columns.value)
            spans.append(Span(text.rjust(columns.rank - 1) + " ", tone))
        spans.append(_edge(entry, range(seen.stop, columns.world), "│"))
        if not self._valued:
            return tuple(spans)
        return (*spans, *_right(entry, columns, self._severities))

    def validate_first(self, first: int) -> int:
        """Keep the ranks' columns filled."""
        return self._fit(first).first

    def action_ranks(self, by: int) -> None:
        """Scroll the ranks."""
        self.first += by

    def action_ranks_page(self, by: int) -> None:
        """Scroll the ranks by as many as are in sight."""
        self.first += by * self.columns.shown

    def _repaint(self, *, whole: bool) -> None:
        """Repaint the lines in sight of which another text or tone was shown last."""
        top = self.scroll_offset.y
        seen = range(top, min(self.count(), top + self.size.height))
        drawn = {place: self.line(place) for place in seen} | {HEAD: self.head()}
        if whole:
            self.refresh()
        else:
            self.refresh_places([p for p, spans in drawn.items() if spans != self._drawn.get(p)])
        self._drawn = drawn

    def _fit(self, first: int) -> Columns:
        return fit(
            self.inner_width,
            self._world,
            first,
            self._wide.name,
            self._wide.word,
            logged=True,
            with_mean=False,
        )


class _Wide(NamedTuple):
    """Cells that names, words and each of the facts want."""

    name: int = 0
    word: int = 0
    facts: tuple[int, ...] = ()


def _widths(entries: Sequence[Entry]) -> _Wide:
    facts = zip(*(entry.facts for entry in entries), strict=True)
    return _Wide(
        min(48, max((cell_len(entry.name) for entry in entries), default=0)),
        min(26, max((cell_len(entry.word) for entry in entries), default=0)),
        tuple(max(map(cell_len, column)) for column in facts),
    )


def _left(entry: Entry, columns: Columns, wide: _Wide) -> Spans:
    if columns.average:
        room = max(0, columns.average - wide.word)
        return (
            Span(pad(shorten(entry.name, columns.name), columns.name), "strong"),
            Span("  " + pad(entry.word, columns.average - room), entry.word_tone),
            Span(pad(_facts(entry, wide, room), room), "muted"),
        )
    # Where there is no room for a word, its glyph alone stands before the name.
    glyph = entry.word[:1] + " " if entry.word[1:2] == " " else ""
    room = columns.name - len(glyph)
    return Span(glyph, entry.word_tone), Span(pad(shorten(entry.name, room), room), "strong")


def _facts(entry: Entry, wide: _Wide, room: int) -> str:
    """As many facts as have room in every line, under one another."""
    told = ""
    for fact, cells in zip(entry.facts, wide.facts, strict=True):
        if cell_len(told) + 2 + cells > room - 1:
            break
        told += "  " + pad(fact, cells)
    return told


def _edge(entry: Entry, unseen: range, otherwise: str) -> Span:
    """What stands beside the ranks in sight: a hole, where one of those out of sight is one."""
    if entry.holes is not None and entry.holes[unseen.start : unseen.stop].any():
        return Span(HOLE, "bad")
    return Span(otherwise, "faint")


def _right(entry: Entry, columns: Columns, severities: Mapping[str, Severity]) -> Spans:
    is_odd = entry.global_ is not None and not math.isfinite(entry.global_)
    glob = plain_number(entry.global_, columns.value).rjust(columns.global_)
    spans = [Span(glob, "faint" if entry.global_ is None else "bad" if is_odd else "global")]
    if columns.logged:
        logged = plain_number(entry.logged, columns.value).rjust(columns.logged)
        spans.append(Span(logged, "faint" if entry.logged is None else "plain"))
    return (
        *spans,
        gap_span(entry.gap, columns.gap, columns.value),
        codes_span(entry.codes, severities, columns.codes),
    )
