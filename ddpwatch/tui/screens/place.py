"""To which place of the recording?"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from ddpwatch.tui.widgets.tones import Bar, Span

FORMS = (
    ("3", "the begin of epoch 3"),
    ("3:120", "step 120 of epoch 3"),
    ("90s 12m 1:02:03", "so long after the begin of the recording"),
)


class PlaceScreen(ModalScreen[str | None]):
    """Lets a place be typed; the result is what was typed, None if nothing was."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """One line to type into, and what can be typed."""
        with Vertical(classes="dialog"):
            yield Input(placeholder="epoch, epoch:step or time", id="place", compact=True)
            yield Bar(id="place-forms")

    def on_mount(self) -> None:
        """Say what this is and how to leave, on the frame."""
        dialog = self.query_one(Vertical)
        dialog.border_title = "Go to"
        dialog.border_subtitle = "Enter goes · Esc closes"
        width = max(len(form) for form, _ in FORMS)
        lines = [(Span(f"{form:<{width}}  ", "key"), Span(told, "muted")) for form, told in FORMS]
        self.query_one(Bar).show([(), *lines])
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Close with what was typed."""
        self.dismiss(event.value.strip() or None)
