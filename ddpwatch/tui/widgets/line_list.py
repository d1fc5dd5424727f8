"""How do thousands of lines scroll under a fixed head, with a cursor, drawing only what is seen?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ddpwatch.tui.widgets.tones import Span, Spans, Toned

CURSOR = "▌"
"""Marks the cursor's line, so that it can be told without a background."""

HEAD = -1
"""The place of the head, when it is to be repainted."""


class LineList(ScrollView, Toned, can_focus=True):
    """One line of head, then lines of which subclasses know the number and the spans.

    The first cell of a line belongs to the cursor, and the last one stays blank.
    """

    ALLOW_MAXIMIZE = False

    # Textual inherits these from the first base only.
    COMPONENT_CLASSES = Toned.COMPONENT_CLASSES

    DEFAULT_CSS = """
    LineList { scrollbar-size-vertical: 1; overflow-x: hidden; overflow-y: auto; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "move(-1000000)", "First line", show=False),
        Binding("end", "move(1000000)", "Last line", show=False),
    ]

    cursor: reactive[int] = reactive(0, repaint=False)

    kept: Hashable | None = None
    """The key of the line that the user put the cursor on, also while that line is not there."""

    class CursorMoved(Message):
        """The cursor stands on another line."""

        def __init__(self, lines: LineList, place: int) -> None:
            super().__init__()
            self.lines = lines
            self.place = place

        @property
        def control(self) -> LineList:
            """The list whose cursor moved."""
            return self.lines

    def count(self) -> int:
        """How many lines there are below the head."""
        raise NotImplementedError

    def head(self) -> Spans:
        """The line above all others, in `inner_width` cells."""
        raise NotImplementedError

    def line(self, place: int) -> Spans:
        """The line at `place`, in `inner_width` cells."""
        raise NotImplementedError

    def key_at(self, place: int) -> Hashable | None:  # noqa: ARG002 - for subclasses
        """What a line is known by as lines come and go; None where only its place counts."""
        return None

    def kept_place(self) -> int | None:
        """Where the line is that the user put the cursor on, None while it is not there.

        A filter, or a recording that goes back, takes lines away and brings them again.
        """
        if self.kept is None:
            return None
        return next((p for p in range(self.count()) if self.key_at(p) == self.kept), None)

    def put(self, place: int) -> None:
        """Put the cursor on a line without that being the user's choice."""
        kept = self.kept
        self.cursor = place
        self.kept = kept

    @property
    def inner_width(self) -> int:
        """Cells between the cursor's mark and the right margin."""
        return max(0, self.scrollable_content_region.width - 2)

    def render_line(self, y: int) -> Strip:
        """Draw the head or one line in sight."""
        width = self.scrollable_content_region.width
        if y == 0:
            return self.strip((Span(" "), *self.head()), width)
        place = self.scroll_offset.y + y - 1
        if place >= self.count():
            return self.strip((), width)
        on = place == self.cursor
        mark = Span(CURSOR, "key") if on and self.has_focus else Span(" ")
        return self.strip((mark, *self.line(place)), width, cursor=on)

    def refresh_places(self, places: Sequence[int]) -> None:
        """Repaint some lines, those of them that are in sight."""
        for place in places:
            y = 0 if place == HEAD else place - self.scroll_offset.y + 1
            if (place == HEAD or y) and 0 <= y < self.size.height:
                self.refresh(Region(0, y, self.size.width, 1))

    def resized(self) -> None:
        """Take note that the number of lines has changed."""
        self.virtual_size = Size(self.size.width, self.count() + 1)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a line."""
        return max(0, min(cursor, self.count() - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Follow the cursor."""
        self.refresh_places((old, new))
        self.keep_in_sight()
        if old != new:
            self._keep()
            self.post_message(self.CursorMoved(self, new))

    def keep_in_sight(self) -> None:
        """Scroll as little as shows the cursor's line."""
        room = max(1, self.size.height - 1)
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + room:
            self.scroll_to(y=self.cursor - room + 1, animate=False)

    def action_move(self, by: int) -> None:
        """Move the cursor by lines."""
        self.cursor += by
        self._keep()

    def action_page(self, by: int) -> None:
        """Move the cursor by a screenful."""
        self.cursor += by * max(1, self.size.height - 2)
        self._keep()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is."""
        if event.y > 0 and self.scroll_offset.y + event.y - 1 < self.count():
            self.cursor = self.scroll_offset.y + event.y - 1
            self._keep()

    def on_resize(self) -> None:
        """Keep the cursor in sight in the new size."""
        self.resized()
        self.call_after_refresh(self.keep_in_sight)

    def _keep(self) -> None:
        self.kept = self.key_at(self.cursor) if self.cursor < self.count() else None
