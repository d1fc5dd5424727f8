"""The bar of a replay: what does it draw, and what does a click on it ask for?"""

from __future__ import annotations

from textual import events
from textual.message import Message

from ddpwatch.board.snapshot import Playback
from ddpwatch.tui.shown import TimeWanted
from ddpwatch.tui.widgets.scrub_model import ScrubLine, note_spans, scrub_line
from ddpwatch.tui.widgets.tones import Bar, Spans
from ddpwatch.tui.widgets.track import time_at

NOTES_FROM = 16
"""Lines of the window from which the notes have one of their own; in a lower one help has them."""


class ScrubBar(Bar):
    """Draws a `Playback`; a click on its track goes there, one before it plays or pauses."""

    class Toggled(Message):
        """The user clicked on what says whether it plays."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes="-off")
        self._playback: Playback | None = None
        self._line = ScrubLine((), 0, 0)

    def draw(self, playback: Playback | None, width: int, height: int) -> None:
        """Show where a replay stands in a window of this size; None hides the bar."""
        self._playback = playback
        self.set_class(playback is None, "-off")
        lines: list[Spans] = []
        if playback is not None:
            self._line = scrub_line(playback, width)
            notes = note_spans(playback, width) if height >= NOTES_FROM else ()
            lines = [notes, self._line.spans] if notes else [self._line.spans]
        self.show(lines)

    def on_click(self, event: events.Click) -> None:
        """Tell what the mouse points at."""
        if self._playback is None or event.y != len(self.lines) - 1:
            return
        cell = event.x - self._line.first
        if 0 <= cell < self._line.length:
            self.post_message(TimeWanted(time_at(self._playback, cell, self._line.length)))
        elif cell < 0:
            self.post_message(self.Toggled())
