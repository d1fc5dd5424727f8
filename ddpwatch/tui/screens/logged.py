"""What did every rank log under each key, and what is that value really?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from ddpwatch.board.about import about_key, key_names
from ddpwatch.board.snapshot import Finding, LoggedRow, LoggedTable, RunView
from ddpwatch.numbers import count
from ddpwatch.text import visible
from ddpwatch.tui import verbs
from ddpwatch.tui.screens import pages
from ddpwatch.tui.screens.explanation import ExplanationScreen
from ddpwatch.tui.screens.filtered import FilteredScreen
from ddpwatch.tui.shown import Shown
from ddpwatch.tui.widgets import logged_model as model
from ddpwatch.tui.widgets.finding_model import by_severity, hint_spans, severities
from ddpwatch.tui.widgets.frame import pass_name
from ddpwatch.tui.widgets.heat import strip_spans
from ddpwatch.tui.widgets.logged_grid import LoggedGrid
from ddpwatch.tui.widgets.tones import Bar, Span, Spans, fill

STRIP_FROM = 24
"""Lines of the window from which there is room for a strip of all ranks."""


class LoggedScreen(FilteredScreen):
    """The keys of a pass, or the calls on loggers, with what is known of the one chosen below."""

    VERBS = verbs.ON_LOGGED
    PAGE = pages.LOGGED
    TAB = "logged"
    AUTO_FOCUS = "#logged"
    BINDINGS: ClassVar[list[BindingType]] = [*verbs.bindings(verbs.ON_LOGGED)]

    def __init__(self) -> None:
        super().__init__()
        self._mode: model.Mode | None = None
        self._calls = False
        self._wanted: Finding | None = None

    def body(self) -> Iterable[Widget]:
        """Title, table, details."""
        yield Bar(id="title")
        yield LoggedGrid(id="logged")
        yield Bar(id="heat")
        yield Bar(id="detail")

    @property
    def grid(self) -> LoggedGrid:
        """The table."""
        return self.query_one(LoggedGrid)

    def draw(self, shown: Shown) -> None:
        """Show what was logged in the pass in view, or the calls on loggers."""
        run = shown.run
        entries = self._entries(run)
        kept = tuple(entry for entry in entries if model.matches(entry, self.needle))
        known = severities(run.findings) if run else {}
        self.grid.show(kept, run.world_size if run else 1, known, valued=not self._calls)
        self._find()
        self._draw_heat()
        width = self.app.size.width - 2
        self.query_one("#title", Bar).show((self._title(run, len(entries), len(kept)),))
        chosen = self.grid.chosen
        lines = model.detail_lines(chosen, width) if chosen else []
        room = max(1, self.app.size.height // 4)
        self.query_one("#detail", Bar).show([(Span(" "), *line) for line in lines[:room]])

    def action_values(self) -> None:
        """Show the next kind of value in the ranks' columns."""
        now = model.MODES.index(self._shown_mode())
        self._mode = model.MODES[(now + 1) % len(model.MODES)]
        self.redraw()

    def advice(self) -> Spans:
        """The most severe finding about the key with the cursor."""
        mine = self._about_key()
        return hint_spans(mine[0], self.app.size.width - 2) if mine else ()

    def action_calls(self) -> None:
        """Show calls on loggers instead of keys, or back."""
        self._calls = not self._calls
        self.redraw()

    def action_explain(self) -> None:
        """Open the findings about the key with the cursor."""
        mine = self._about_key()
        if mine:
            self.app.push_screen(ExplanationScreen(mine))

    def look_for(self, finding: Finding) -> None:
        """Put the cursor on the key that the finding is about, as soon as it is there."""
        self._calls, self._wanted = False, finding
        self.clear_filter()

    def verbs_shown(self) -> tuple[verbs.Verb, ...]:
        """Calls on loggers have one kind of value, and no findings."""
        gone = (verbs.VALUES, verbs.EXPLAIN_ONLY) if self._calls else ()
        return tuple(verb for verb in self.verbs() if verb not in gone)

    def _draw_heat(self) -> None:
        """A strip of all ranks under the key with the cursor, where they do not fit as columns."""
        columns, chosen = self.grid.columns, self.grid.chosen
        lines: tuple[Spans, ...] = ()
        if (
            chosen is not None
            and columns.shown < columns.world
            and self.app.size.height >= STRIP_FROM
        ):
            values, present, holes = model.strip_of(chosen.row, self._shown_mode())
            lines = strip_spans(values, present, holes, columns.ranks, self.app.size.width)
        heat = self.query_one("#heat", Bar)
        heat.set_class(not lines, "-off")
        heat.show(lines)

    def _about_key(self) -> tuple[Finding, ...]:
        chosen, run = self.grid.chosen, self.shown.run
        if chosen is None or run is None or run.logged is None:
            return ()
        if not isinstance(chosen.row, LoggedRow):
            return ()
        return by_severity(about_key(run.findings, run.logged.key, chosen.row))

    def _find(self) -> None:
        """Go to the key that is looked for, once it is there."""
        if self._wanted is None:
            return
        for place, entry in enumerate(self.grid.entries):
            row = entry.row
            if isinstance(row, LoggedRow) and self._wanted.key in key_names(row):
                self._wanted, self.grid.cursor = None, place
                return

    def _entries(self, run: RunView | None) -> tuple[model.Entry, ...]:
        if run is None:
            return ()
        if self._calls:
            return tuple(model.call_entry(row) for row in run.logger_rows)
        rows = run.logged.rows if run.logged else ()
        return tuple(model.key_entry(row, self._shown_mode()) for row in rows)

    def _shown_mode(self) -> model.Mode:
        """What the user chose, else what is most telling: ended values once there are any."""
        if self._mode is not None:
            return self._mode
        table = self.shown.run.logged if self.shown.run else None
        return "after" if table is not None and table.final else "before"

    def _title(self, run: RunView | None, there: int, kept: int) -> Spans:
        groups: list[Spans]
        if self._calls:
            groups = [(Span("calls on loggers", "strong"),),
                      (Span("✓ written, ✗ thrown away", "muted"),)]  # fmt: skip
            nothing = "nothing has called a logger yet"
        else:
            table = run.logged if run else None
            groups = [_where(table, run), (Span(model.MODE_WORDS[self._shown_mode()], "muted"),)]
            nothing = "nothing has been logged in this pass"
            if table is not None and table.gone:
                more = f" and {len(table.gone) - 1} more" if len(table.gone) > 1 else ""
                told = f"no longer {visible(table.gone[0], 30)}{more}"
                groups.append((Span(told, "worst"),))
        if not there:
            groups.append((Span(nothing, "muted"),))
        if self.needle:
            what = "filter " if kept else "no line matches "
            groups.append((Span(what, "muted"), Span(visible(self.needle, 20), "worst")))
        return Span(" "), *fill(groups, self.app.size.width - 2, " · ")


def _where(table: LoggedTable | None, run: RunView | None) -> Spans:
    if table is None or run is None:
        return (Span("logged", "strong"),)
    how = "complete" if table.final else f"after {count(table.step + 1)} batches"
    return (
        Span(pass_name(table.key, run.passes), "strong"),
        Span(f" · {how}", "good" if table.final else "plain"),
    )
