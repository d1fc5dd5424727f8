"""What is wrong with what this job logs, and what is to be done about it?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.strip import Strip
from textual.widget import Widget

from ddpwatch.board.snapshot import Finding
from ddpwatch.text import visible
from ddpwatch.tui import verbs
from ddpwatch.tui.screens import pages
from ddpwatch.tui.screens.explanation import ExplanationScreen
from ddpwatch.tui.screens.filtered import FilteredScreen
from ddpwatch.tui.shown import RowWanted, Shown, TimeWanted
from ddpwatch.tui.widgets import finding_model as model
from ddpwatch.tui.widgets.line_list import LineList
from ddpwatch.tui.widgets.tones import Bar, Span, Spans, fill

DETAIL_LINES = 12


class FindingList(LineList):
    """One line for each finding, the most severe first."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.findings: tuple[Finding, ...] = ()
        self.filtered = False

    def show(self, findings: tuple[Finding, ...], *, filtered: bool = False) -> None:
        """Draw these; the cursor stays on its finding, unless it is still where it began.

        `filtered` says that there are others, which do not match.
        """
        if findings == self.findings and filtered == self.filtered:
            return
        chosen = self.chosen if self.cursor else None
        self.findings, self.filtered = findings, filtered
        self.resized()
        self.refresh()
        same = [
            place
            for place, each in enumerate(findings)
            if chosen and (each.code, each.key) == (chosen.code, chosen.key)
        ]
        kept = self.kept_place()
        self.set_reactive(FindingList.cursor, self.validate_cursor(self.cursor))
        self.put(kept if kept is not None else same[0] if same else self.cursor)

    @property
    def chosen(self) -> Finding | None:
        """The finding with the cursor."""
        return self.findings[self.cursor] if self.cursor < len(self.findings) else None

    def count(self) -> int:
        """How many there are."""
        return len(self.findings)

    def key_at(self, place: int) -> tuple[str, str] | None:
        """Code and key of a finding; the first line is the most severe one, whichever that is."""
        return (self.findings[place].code, self.findings[place].key) if place else None

    def head(self) -> Spans:
        """The heads of the columns, if there are any lines below."""
        return model.head(self.inner_width) if self.findings else ()

    def render_line(self, y: int) -> Strip:
        """Draw a line, or while there has been nothing to list, what is checked."""
        if self.findings or self.filtered:
            return super().render_line(y)
        width = self.scrollable_content_region.width
        told = list(model.checked_lines(width - 2))
        return self.strip((Span(" "), *told[y - 1]) if 0 < y <= len(told) else (), width)

    def line(self, place: int) -> Spans:
        """One finding."""
        return model.finding_line(self.findings[place], self.inner_width)


class FindingsScreen(FilteredScreen):
    """The list of findings, and below it the one with the cursor."""

    VERBS = verbs.ON_FINDINGS
    PAGE = pages.FINDINGS
    TAB = "findings"
    AUTO_FOCUS = "#findings"
    BINDINGS: ClassVar[list[BindingType]] = [*verbs.bindings(verbs.ON_FINDINGS)]

    def body(self) -> Iterable[Widget]:
        """Title, list, details."""
        yield Bar(id="title")
        yield FindingList(id="findings")
        yield Bar(id="detail")

    @property
    def list(self) -> FindingList:
        """The list."""
        return self.query_one(FindingList)

    def draw(self, shown: Shown) -> None:
        """Show the findings of the run in view."""
        found = shown.run.findings if shown.run else ()
        kept = model.by_severity(model.matching(found, self.needle))
        self.list.show(kept, filtered=len(kept) < len(found))
        self.query_one("#title", Bar).show((self._title(found),))
        chosen, width = self.list.chosen, self.app.size.width - 2
        room = max(0, min(DETAIL_LINES, self.app.size.height // 2 - 3))
        lines = list(model.full_lines(chosen, min(width - 1, 100))) if chosen else []
        if len(lines) > room:
            more = (Span("Enter", "key"), Span(": all of it", "muted"))
            lines = [*lines[: room - 1], more] if room else []
        self.query_one("#detail", Bar).show([(Span(" "), *line) for line in lines])

    def action_explain(self) -> None:
        """Open the whole explanation."""
        if self.list.chosen is not None:
            self.app.push_screen(ExplanationScreen((self.list.chosen,)))

    def action_goto(self) -> None:
        """Show the row that the finding is about."""
        if self.list.chosen is not None:
            self.post_message(RowWanted(self.list.chosen))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a recording can go back to when something was found."""
        return self.shown.replay if action == "found" else super().check_action(action, parameters)

    def action_found(self) -> None:
        """Go to when the finding was first proven."""
        if self.list.chosen is not None:
            self.post_message(TimeWanted(self.list.chosen.first_at))

    def _title(self, found: tuple[Finding, ...]) -> Spans:
        if not found:
            when = "; looked for again at every step"
            return Span(" Nothing was found so far", "good"), Span(when, "muted")
        there = model.counts(found)
        groups: list[Spans] = [
            (Span(f"{number} {_plural(severity, number)}", model.GLYPHS[severity][1]),)
            for severity in model.ORDER
            if (number := there[severity])
        ]
        if self.needle:
            what = "filter " if self.list.findings else "no finding matches "
            groups.append((Span(what, "muted"), Span(visible(self.needle, 20), "worst")))
        return Span(" "), *fill(groups, self.app.size.width - 2, " · ")


def _plural(severity: str, number: int) -> str:
    return severity if severity == "info" or number == 1 else f"{severity}s"
