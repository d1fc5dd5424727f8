"""How does a piece of text say what it means, so that the theme alone decides its colour?

Pure functions return spans, pieces of text with a tone; a `Toned` widget turns them into strips.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from ddpwatch.text import ELLIPSIS, truncate

Tone: TypeAlias = Literal[
    "plain",
    "strong",
    "muted",
    "faint",
    "global",
    "worst",
    "gap",
    "good",
    "bad",
    "key",
    "badge",
    "alert",
    "active",
]
"""What a piece of text is; `app.tcss` gives each a colour and a weight."""

TONES: tuple[Tone, ...] = (
    "plain",
    "strong",
    "muted",
    "faint",
    "global",
    "worst",
    "gap",
    "good",
    "bad",
    "key",
    "badge",
    "alert",
    "active",
)


class Span(NamedTuple):
    """A piece of text, already safe to draw, and its tone."""

    text: str
    tone: Tone = "plain"


Spans: TypeAlias = tuple[Span, ...]


def width_of(spans: Iterable[Span]) -> int:
    """Cells that the spans take."""
    return sum(cell_len(span.text) for span in spans)


def spread(left: Sequence[Span], right: Sequence[Span], width: int) -> Spans:
    """Push two groups to the two ends of a line; too long a line is cut where it is drawn."""
    gap = max(1, width - width_of(left) - width_of(right))
    return (*left, Span(" " * gap), *right)


def fill(groups: Sequence[Spans], width: int, separator: str = "   ") -> Spans:
    """Join as many groups as fit, the first ones first; later ones that still fit may follow."""
    taken: list[Span] = []
    for group in groups:
        extra = Span(separator) if taken else Span("")
        if group and width_of(taken) + cell_len(extra.text) + width_of(group) <= width:
            taken += [extra, *group] if extra.text else group
    return tuple(taken)


def flow(groups: Sequence[Spans], width: int, separator: str = " · ") -> Iterator[Spans]:
    """Join groups to lines of at most `width` cells, in their order; none is left out."""
    line: list[Span] = []
    for each in groups:
        group = clip(each, width)
        if line and width_of(line) + cell_len(separator) + width_of(group) > width:
            yield tuple(line)
            line = []
        line += [Span(separator, "muted"), *group] if line else group
    if line:
        yield tuple(line)


def clip(spans: Iterable[Span], width: int) -> Spans:
    """Cut spans at `width` cells; an ellipsis says so."""
    whole = tuple(spans)
    if width_of(whole) <= width:
        return whole
    kept: list[Span] = []
    room = width
    for text, tone in whole:
        cut = cell_len(text) >= room
        kept.append(Span(truncate(text + ELLIPSIS if cell_len(text) == room else text, room), tone))
        if cut:
            break
        room -= cell_len(text)
    return tuple(kept)


class Toned(Widget):
    """A widget that draws spans."""

    COMPONENT_CLASSES = {f"tone--{tone}" for tone in TONES} | {"tone--cursor"}

    def ink(self, tone: Tone, *, cursor: bool = False) -> Style:
        """Return the style of a tone in the present theme, on the cursor's background if asked."""
        names = ("tone--cursor", f"tone--{tone}") if cursor else (f"tone--{tone}",)
        return self.get_visual_style(*names).rich_style

    def strip(self, spans: Iterable[Span], width: int, *, cursor: bool = False) -> Strip:
        """Draw one line of exactly `width` cells."""
        segments = [
            Segment(text, self.ink(tone, cursor=cursor))
            for text, tone in clip(spans, width)
            if text
        ]
        return Strip(segments).adjust_cell_length(width, self.ink("plain", cursor=cursor))


class Bar(Toned):
    """A few lines of spans; repaints only when they change."""

    DEFAULT_CSS = """
    Bar { height: 1; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.lines: tuple[Spans, ...] = ()

    def show(self, lines: Sequence[Spans]) -> None:
        """Draw these lines from now on; the widget becomes as high as they are many."""
        fresh = tuple(lines)
        if fresh == self.lines:
            return
        if len(fresh) != len(self.lines):
            self.styles.height = len(fresh)
        self.lines = fresh
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        return self.strip(self.lines[y] if y < len(self.lines) else (), self.size.width)
