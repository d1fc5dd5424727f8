"""Why is this wrong, and what is the fix?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from ddpwatch.board.snapshot import Finding
from ddpwatch.tui.screens.help import WIDEST
from ddpwatch.tui.widgets.finding_model import fix_lines, full_lines
from ddpwatch.tui.widgets.tones import Bar, Spans


class ExplanationScreen(ModalScreen[None]):
    """Tells one or several findings in full; the usual keys close it, `y` copies the fix."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,enter", "dismiss", "Close"),
        ("down,j", "scroll(1)", "Down"),
        ("up,k", "scroll(-1)", "Up"),
        ("y", "copy", "Copy the fix"),
    ]

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__()
        self._findings = tuple(findings)

    def compose(self) -> ComposeResult:
        """One scrolling column of lines."""
        with VerticalScroll(classes="dialog"):
            yield Bar(id="explanation")

    def on_mount(self) -> None:
        """Say what it is and how to leave, on the frame."""
        dialog = self.query_one(VerticalScroll)
        dialog.border_title = ", ".join(finding.code for finding in self._findings)
        dialog.border_subtitle = "y copies the fix · Esc closes"

    def on_resize(self, event: events.Resize) -> None:
        """Break the lines anew."""
        # The dialog takes 92 %, and its frame, padding and scrollbar six cells of that.
        width = min(WIDEST, event.size.width * 92 // 100 - 6)
        lines: list[Spans] = []
        for place, finding in enumerate(self._findings):
            lines += [(), ()] if place else []
            lines += full_lines(finding, width)
        self.query_one(Bar).show(lines)

    def action_scroll(self, by: int) -> None:
        """Scroll by one line."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    def action_copy(self) -> None:
        """Put the fix of the first finding on the clipboard, where the terminal allows it."""
        self.app.copy_to_clipboard("\n".join(fix_lines(self._findings[0])))
        self.notify("the fix is on the clipboard", markup=False, timeout=3)
