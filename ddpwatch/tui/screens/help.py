"""What is on this screen, and what does each key do?"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from ddpwatch.tui.verbs import Verb
from ddpwatch.tui.widgets.tones import Bar, Span, Spans

WIDEST = 84
"""Cells beyond which lines of text are no longer easy to read."""


@dataclass(frozen=True, slots=True)
class Page:
    """The explanation of a screen: an introduction, then (heading, ((term, meaning), …))."""

    title: str
    introduction: str
    parts: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()


class HelpScreen(ModalScreen[None]):
    """Explains one screen; any of the usual keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,question_mark,q,enter", "dismiss", "Close"),
        ("down,j", "scroll(1)", "Down"),
        ("up,k", "scroll(-1)", "Up"),
    ]

    def __init__(self, page: Page, verbs: Sequence[Verb]) -> None:
        super().__init__()
        self._page = page
        self._verbs = tuple(verbs)

    def compose(self) -> ComposeResult:
        """One scrolling column of lines."""
        with VerticalScroll(classes="dialog"):
            yield Bar(id="help-lines")

    def on_mount(self) -> None:
        """Say how to leave, on the frame."""
        dialog = self.query_one(VerticalScroll)
        dialog.border_title = f"Help: {self._page.title}"
        dialog.border_subtitle = "Esc closes"

    def on_resize(self, event: events.Resize) -> None:
        """Break the lines anew."""
        # The dialog takes 92 %, and its frame, padding and scrollbar six cells of that.
        width = min(WIDEST, event.size.width * 92 // 100 - 6)
        self.query_one(Bar).show(list(help_lines(self._page, self._verbs, width)))

    def action_scroll(self, by: int) -> None:
        """Scroll by one line."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)


def help_lines(page: Page, verbs: Sequence[Verb], width: int) -> Iterator[Spans]:
    """Yield the lines of a page, broken to `width` cells."""
    for text in textwrap.wrap(page.introduction, width):
        yield (Span(text),)
    keys = _keys(verb for verb in verbs if verb.only != "replay")
    replay = _keys(verb for verb in verbs if verb.only == "replay")
    for heading, entries in (*page.parts, ("Keys", keys), ("Keys of the recording", replay)):
        if not entries:
            continue
        yield ()
        yield (Span(heading, "strong"),)
        for term, meaning in entries:
            yield from _entry(term, meaning, width)


def _keys(verbs: Iterable[Verb]) -> tuple[tuple[str, str], ...]:
    return tuple((verb.shown, f"{verb.title.lower()}: {verb.meaning}") for verb in verbs)


def _entry(term: str, meaning: str, width: int) -> Iterator[Spans]:
    first, *more = textwrap.wrap(meaning, max(10, width - 14))
    yield Span(f"  {term:<11} ", "key"), Span(first)
    for text in more:
        yield (Span(" " * 14 + text),)
