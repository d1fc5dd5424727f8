"""What does each rank print, and which lines does everybody print?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from ddpwatch.board.snapshot import OutputLine, RunView
from ddpwatch.numbers import count
from ddpwatch.text import visible
from ddpwatch.tui import verbs
from ddpwatch.tui.screens import pages
from ddpwatch.tui.screens.filtered import FilteredScreen
from ddpwatch.tui.shown import Shown
from ddpwatch.tui.widgets import output_model as model
from ddpwatch.tui.widgets.finding_model import rank_list
from ddpwatch.tui.widgets.line_list import LineList
from ddpwatch.tui.widgets.tones import Bar, Span, Spans, fill


class OutputList(LineList):
    """One line for each printed line, the newest last; the cursor stays at the end, if it is."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.lines: tuple[OutputLine, ...] = ()
        self._started = 0.0

    def show(self, lines: tuple[OutputLine, ...], started: float) -> None:
        """Draw the lines of a run that began at `started`; the cursor stays on its line or last."""
        if lines == self.lines and started == self._started:
            return
        following, chosen = self.is_following, self.chosen
        self.lines, self._started = lines, started
        self.resized()
        self.refresh()
        same = [place for place, line in enumerate(lines) if chosen and _is(line, chosen)]
        self.set_reactive(OutputList.cursor, self.validate_cursor(self.cursor))
        kept = self.kept_place()
        if following:
            self.cursor = len(lines) - 1
        else:
            self.put(kept if kept is not None else same[-1] if same else self.cursor)

    @property
    def is_following(self) -> bool:
        """Whether the cursor stands on the newest line, and that is in sight."""
        in_sight = self.scroll_offset.y + max(1, self.size.height - 1) >= len(self.lines)
        return in_sight and self.cursor >= len(self.lines) - 1 and self.kept is None

    def follow(self) -> None:
        """Go to the newest line, and stay there."""
        self.cursor = len(self.lines) - 1
        self.kept = None
        self.keep_in_sight()

    def watch_scroll_y(self, old: float, new: float) -> None:
        """Scrolling with the wheel leaves the newest line, or comes back to it."""
        super().watch_scroll_y(old, new)
        if round(old) != round(new):
            self.post_message(self.CursorMoved(self, self.cursor))

    @property
    def chosen(self) -> OutputLine | None:
        """The line with the cursor."""
        return self.lines[self.cursor] if self.cursor < len(self.lines) else None

    def count(self) -> int:
        """How many lines there are."""
        return len(self.lines)

    def key_at(self, place: int) -> tuple[float, str, str] | None:
        """When, what and where; at the last line the newest is meant, whichever that is."""
        line = self.lines[place]
        return None if place >= len(self.lines) - 1 else (line.at, line.text, line.hook)

    def head(self) -> Spans:
        """The heads of the columns, if there are any lines below."""
        return model.head(self.inner_width) if self.lines else ()

    def line(self, place: int) -> Spans:
        """One printed line."""
        return model.output_line(self.lines[place], self.inner_width, self._started)


class OutputScreen(FilteredScreen):
    """The lines that ranks print."""

    VERBS = verbs.ON_OUTPUT
    PAGE = pages.OUTPUT
    TAB = "output"
    AUTO_FOCUS = "#output"
    BINDINGS: ClassVar[list[BindingType]] = [*verbs.bindings(verbs.ON_OUTPUT)]

    def body(self) -> Iterable[Widget]:
        """Title, list, details."""
        yield Bar(id="title")
        yield OutputList(id="output")
        yield Bar(id="detail")

    @property
    def list(self) -> OutputList:
        """The list."""
        return self.query_one(OutputList)

    def draw(self, shown: Shown) -> None:
        """Show the lines of the run in view."""
        run = shown.run
        there = run.output if run else ()
        runs = shown.snapshot.runs if shown.snapshot else ()
        started = next((each.started for each in runs if run and each.run == run.run), 0.0)
        self.list.show(model.matching(there, self.needle), started)
        self.query_one("#title", Bar).show((self._title(run, len(there)),))
        chosen = self.list.chosen
        self.query_one("#detail", Bar).show((_detail(chosen),) if chosen else ())

    def action_newest(self) -> None:
        """Go to the newest line, and stay there."""
        self.list.follow()

    def _title(self, run: RunView | None, there: int) -> Spans:
        if not there:
            return (Span(" no rank has printed anything yet", "muted"),)
        shown = self.list.count()
        groups: list[Spans] = [(Span(f"{count(there)} lines", "strong"),)]
        if self.needle:
            what = f"{count(shown)} match " if shown else "no line matches "
            groups.append((Span(what, "muted"), Span(visible(self.needle, 20), "worst")))
        if run is not None and run.output_dropped:
            groups.append(
                (Span(f"{count(run.output_dropped)} came too fast and were dropped", "worst"),)
            )
        mode = "follows the newest" if self.list.is_following else "held, f follows"
        groups.insert(1, (Span(mode, "muted" if self.list.is_following else "worst"),))
        return Span(" "), *fill(groups, self.app.size.width - 2, " · ")


def _is(line: OutputLine, other: OutputLine) -> bool:
    return (line.at, line.text, line.hook) == (other.at, other.text, other.hook)


def _detail(line: OutputLine) -> Spans:
    """Who printed the line, how often, from where."""
    ranks = f"rank{'s' * (len(line.ranks) > 1)} {rank_list(line.ranks)}"
    times = f", {count(line.count)} times" if line.count > 1 else ""
    where = f" in {visible(line.hook)}" if line.hook else ""
    everybody = "; every rank runs this hook" if len(line.ranks) > 1 else ""
    return (
        Span(f" {ranks}", "strong"),
        Span(f" printed this{where}{times}{everybody}", "muted"),
    )
