"""Do the ranks agree, and what is the true value?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.widget import Widget

from ddpwatch.board.about import about_row, about_samples, row_names
from ddpwatch.board.joined import report_of
from ddpwatch.board.snapshot import Finding, RowKey, RunView
from ddpwatch.text import shorten, visible
from ddpwatch.tui import verbs
from ddpwatch.tui.screens import pages
from ddpwatch.tui.screens.explanation import ExplanationScreen
from ddpwatch.tui.screens.filtered import FilteredScreen
from ddpwatch.tui.shown import RowChosen, Shown
from ddpwatch.tui.widgets.cells import worst_of
from ddpwatch.tui.widgets.chart import Chart
from ddpwatch.tui.widgets.finding_model import (
    by_severity,
    hint_spans,
    severities,
)
from ddpwatch.tui.widgets.frame import pass_name, title_spans
from ddpwatch.tui.widgets.grid import MetricGrid
from ddpwatch.tui.widgets.heat import heat_spans
from ddpwatch.tui.widgets.hint import row_spans
from ddpwatch.tui.widgets.tones import Bar, Span, Spans

CHART_AT_LEAST = 7
GRID_AT_LEAST = 5


class MetricsScreen(FilteredScreen):
    """The table of metrics, and the chart of the row with the cursor."""

    VERBS = verbs.ON_METRICS
    PAGE = pages.METRICS
    TAB = "metrics"
    AUTO_FOCUS = "#grid"
    BINDINGS: ClassVar[list[BindingType]] = [*verbs.bindings(verbs.ON_METRICS)]

    def __init__(self) -> None:
        super().__init__()
        self._heat: bool | None = None
        self._row: RowKey | None = None
        self._wanted: Finding | None = None

    def body(self) -> Iterable[Widget]:
        """Title, table, strip, chart."""
        yield Bar(id="title")
        yield MetricGrid(id="grid")
        yield Bar(id="heat")
        yield Chart(id="chart")

    @property
    def grid(self) -> MetricGrid:
        """The table."""
        return self.query_one("#grid", MetricGrid)

    def draw(self, shown: Shown) -> None:
        """Show a snapshot in all parts."""
        run = shown.run
        self.grid.needle = self.needle
        self.grid.show(run.table if run else None, severities(run.findings) if run else None)
        self._find()
        self._draw_title(run)
        self._draw_heat()
        self._draw_chart(run)
        self._share_height()
        self._choose()

    def hint(self) -> Spans:
        """A sentence about the row with the cursor."""
        return row_spans(self.grid.chosen, self.grid.table)

    def advice(self) -> Spans:
        """The most severe finding about the row with the cursor, else about anything."""
        run, width = self.shown.run, self.app.size.width - 2
        mine = self._about_row()
        if mine:
            return hint_spans(mine[0], width)
        serious = [f for f in by_severity(run.findings if run else ()) if f.severity != "info"]
        return hint_spans(serious[0], width, key="4") if serious else ()

    def action_explain(self) -> None:
        """Open the findings about the row; where there are none, open or close its classes."""
        mine = self._about_row()
        if mine:
            self.app.push_screen(ExplanationScreen(mine))
        else:
            self.grid.action_open()

    def look_for(self, finding: Finding) -> None:
        """Put the cursor on the metric that the finding is about, as soon as it is there."""
        self._wanted = finding
        self.clear_filter()

    def action_classes(self) -> None:
        """Open or close the classes of the row."""
        self.grid.action_open()

    def action_heat(self) -> None:
        """Show or hide the strip of all ranks."""
        self._heat = not self._heat_wanted()
        self.redraw()

    def action_mean(self) -> None:
        """Show or hide the mean in the chart."""
        chart = self.query_one(Chart)
        chart.mean = not chart.mean

    @on(MetricGrid.LineCount)
    def _resized(self) -> None:
        self.redraw()

    def _about_row(self) -> tuple[Finding, ...]:
        line, run, table = self.grid.chosen, self.shown.run, self.grid.table
        if line is None or run is None or table is None:
            return ()
        if line.key.kind == "samples":
            return by_severity(about_samples(run.findings, table.key))
        if line.row is None:
            return ()
        report = report_of(line.row, run.logged)
        return by_severity(about_row(run.findings, table.key, line.row, report))

    def _find(self) -> None:
        """Go to the row that is looked for, once it is there."""
        wanted, run = self._wanted, self.shown.run
        if wanted is None or run is None:
            return
        for place, line in enumerate(self.grid.lines):
            if line.row is None:
                continue
            if wanted.key in row_names(line.row, report_of(line.row, run.logged)):
                self._wanted, self.grid.cursor = None, place
                return

    def _choose(self) -> None:
        """Ask for the series of the row with the cursor, if that is another one."""
        line = self.grid.chosen
        if line is not None and line.row is not None and line.row.key != self._row:
            self._row = line.row.key
            self.post_message(RowChosen(self._row))

    def _draw_title(self, run: RunView | None) -> None:
        if run is None:
            return
        grid, width = self.grid, self.app.size.width
        found = any(line.row is not None for line in grid.lines)
        line = title_spans(run, self.shown.view, grid.needle, width, found=found)
        self.query_one("#title", Bar).show((line,))

    def _heat_wanted(self) -> bool:
        columns = self.grid.columns
        return columns.shown < columns.world if self._heat is None else self._heat

    def _draw_heat(self) -> None:
        line, table = self.grid.chosen, self.grid.table
        lines: tuple[Spans, ...] = ()
        if self._heat_wanted() and table is not None and line is not None and line.row is not None:
            seen = self.grid.columns.ranks
            lines = heat_spans(line.row, table, seen, self.app.size.width)
            lines = lines if self.app.size.height >= 24 else lines[:1]
        heat = self.query_one("#heat", Bar)
        heat.set_class(not lines, "-off")
        heat.show(lines)

    def _draw_chart(self, run: RunView | None) -> None:
        chart = self.query_one(Chart)
        if run is None or run.series is None or run.table is None:
            chart.show(None, (), None)
            return
        key = run.series.row
        line = next((each for each in self.grid.lines if each.row and each.row.key == key), None)
        name = shorten(line.title if line else visible(key.score), self.app.size.width // 2)
        stage = run.table.key.stage.replace("_", " ")
        where = f"the steps of {pass_name(run.table.key, run.passes)}"
        over = where if run.series.over == "steps" else f"the epochs of {stage}"
        row = next((row for row in run.table.rows if row.key == key), None)
        worst = worst_of(row) if row else None
        title = (Span(name, "strong"), Span(f"  over {over}", "muted"))
        chart.show(run.series, title, (worst.rank, worst.mark) if worst else None)

    def _share_height(self) -> None:
        """Give the table what it needs, the chart the rest, if that is enough to read."""
        room = self.app.size.height - self._fixed_height()
        grid, chart = share_height(room, self.grid.count() + 1)
        self.grid.styles.height = grid
        self.query_one(Chart).set_class(chart == 0, "-off")

    def _fixed_height(self) -> int:
        """Lines of everything but the table and the chart, with the blank ones of a tall window."""
        names = ("heat", "hint", "scrub")
        heat, hint, scrub = (len(self.query_one(f"#{name}", Bar).lines) for name in names)
        blank = 2 + bool(heat) if self.has_class("-tall") else 0
        header_progress_tabs_title_keys = 5
        return header_progress_tabs_title_keys + hint + scrub + heat + self.is_filtering + blank


def share_height(room: int, wanted: int) -> tuple[int, int]:
    """Split lines between a table that wants some and a chart, which gets 0 where few are left.

    >>> share_height(25, 7), share_height(25, 60), share_height(9, 7)
    ((7, 18), (16, 9), (9, 0))
    """
    if room < CHART_AT_LEAST + GRID_AT_LEAST:
        return max(room, 1), 0
    grid = min(wanted, room - max(CHART_AT_LEAST, room * 3 // 8))
    return grid, room - grid
