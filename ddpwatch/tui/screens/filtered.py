"""How does one type words that rows must match?"""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Input

from ddpwatch.tui.screens.watch_screen import WatchScreen
from ddpwatch.tui.widgets.line_list import LineList


class FilterInput(Input):
    """One line for the words; Esc clears it."""

    def on_key(self, event: events.Key) -> None:
        """Leave: Esc with everything shown again, the arrows with the filter still on."""
        if event.key == "escape":
            self.value = ""
        if event.key in {"escape", "up", "down"}:
            event.stop()
            self.screen.set_focus(None)
            self.post_message(self.Submitted(self, self.value))


class FilteredScreen(WatchScreen):
    """A screen with a list that can be filtered by `needle`, and drawn anew as its cursor moves."""

    def __init__(self) -> None:
        super().__init__()
        self.needle = ""

    def compose(self) -> ComposeResult:
        """Put the input above the hint."""
        for widget in super().compose():
            if widget.id == "hint":
                yield FilterInput(
                    placeholder="words that rows must match", id="filter", compact=True
                )
            yield widget

    def on_mount(self) -> None:
        """Hide the input until it is asked for."""
        self.query_one(FilterInput).add_class("-off")

    @property
    def is_filtering(self) -> bool:
        """Whether the input is there to type into."""
        return not self.query_one(FilterInput).has_class("-off")

    def action_filter(self) -> None:
        """Begin to type."""
        box = self.query_one(FilterInput)
        box.remove_class("-off")
        box.focus()
        self.redraw()

    def on_input_submitted(self) -> None:
        """Go back to the list; the filter stays on."""
        self.query_one(FilterInput).add_class("-off")
        self.query_one(self.AUTO_FOCUS).focus()
        self.redraw()

    @on(LineList.CursorMoved)
    def _moved(self) -> None:
        self.redraw()

    @on(Input.Changed)
    def _filtered(self, event: Input.Changed) -> None:
        self.needle = event.value
        self.redraw()

    def clear_filter(self) -> None:
        """Show all rows again, on a screen that may not have been composed yet."""
        for box in self.query(FilterInput):
            box.value = ""

    def key_escape(self) -> None:
        """Show all rows again."""
        self.clear_filter()
