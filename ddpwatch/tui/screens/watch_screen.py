"""What do all screens share? The lines around the body, the verbs, and what a tiny window gets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget

from ddpwatch.tui.screens.help import HelpScreen, Page
from ddpwatch.tui.screens.replay_page import page_with
from ddpwatch.tui.shown import Shown
from ddpwatch.tui.verbs import Verb, applying
from ddpwatch.tui.widgets.frame import key_spans, tab_spans
from ddpwatch.tui.widgets.header import header_spans
from ddpwatch.tui.widgets.hint import notice_spans
from ddpwatch.tui.widgets.progress import progress_spans
from ddpwatch.tui.widgets.scrub import ScrubBar
from ddpwatch.tui.widgets.tones import Bar, Span, Spans

SMALLEST_WIDTH, SMALLEST_HEIGHT = 50, 12
TALL = 30
"""Lines from which there is room for blank ones."""


class WatchScreen(Screen[None]):
    """A screen that draws `Shown` values between a header and a footer."""

    VERBS: ClassVar[tuple[Verb, ...]] = ()
    PAGE: ClassVar[Page]
    TAB: ClassVar[str] = ""
    AUTO_FOCUS: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self.shown = Shown()

    def body(self) -> Iterable[Widget]:
        """The widgets between progress and hint."""
        raise NotImplementedError

    def draw(self, shown: Shown) -> None:
        """Show what the body has to show."""
        raise NotImplementedError

    def hint(self) -> Spans:
        """A sentence about what the cursor is on."""
        return ()

    def advice(self) -> Spans:
        """A sentence about what is wrong, and where to read on."""
        return ()

    def verbs(self) -> tuple[Verb, ...]:
        """The verbs that there are with the present source."""
        return applying(self.VERBS, replay=self.shown.replay)

    def verbs_shown(self) -> Sequence[Verb]:
        """The verbs of the footer, the most wanted first."""
        return self.verbs()

    def compose(self) -> ComposeResult:
        """Lay out the lines around the body."""
        yield Bar(id="too-small")
        yield Bar(id="header")
        yield Bar(id="progress")
        yield Bar(id="tabs")
        yield from self.body()
        yield Bar(id="hint")
        yield ScrubBar(id="scrub")
        yield Bar(id="keys")

    def on_mount(self) -> None:
        """Draw whatever the app shows, now and from now on."""
        self.watch(self.app, "shown", self._changed)

    def on_screen_resume(self) -> None:
        """Catch up with what has changed behind another screen."""
        self.redraw()

    def on_resize(self) -> None:
        """Fit everything to the window."""
        self.redraw()

    def redraw(self) -> None:
        """Draw everything anew; widgets repaint only what differs."""
        width, height = self.app.size
        tiny = width < SMALLEST_WIDTH or height < SMALLEST_HEIGHT
        self.set_class(tiny, "-tiny")
        self.set_class(height >= TALL, "-tall")
        self._bar("too-small").show(_too_small(width, height))
        self.draw_frame(width)
        self.draw(self.shown)

    def draw_frame(self, width: int) -> None:
        """Draw the lines around the body."""
        self._bar("header").show((header_spans(self.shown, width),))
        run = self.shown.run
        self._bar("progress").show((progress_spans(run, width),) if run else ((),))
        self._bar("tabs").show((tab_spans(self.TAB, run.findings if run else ()),))
        self.draw_hint(width)
        self.query_one(ScrubBar).draw(self.shown.playback, width, self.app.size.height)
        self._bar("keys").show((key_spans(self.verbs_shown(), width),))

    def draw_hint(self, width: int) -> None:
        """Draw the sentence about the cursor, and what is wrong, if anything is."""
        lines = [self.hint(), self.advice(), notice_spans(self.shown.snapshot, width - 2)]
        said = [(Span(" "), *line) for line in lines if line]
        hint = self._bar("hint")
        hint.set_class(not said, "-off")
        hint.show(said)

    def action_help(self) -> None:
        """Explain this screen."""
        self.app.push_screen(HelpScreen(page_with(self.PAGE, self.shown.playback), self.verbs()))

    def _changed(self, shown: Shown) -> None:
        self.shown = shown
        if self in self.app.screen_stack:
            self.redraw()

    def _bar(self, name: str) -> Bar:
        return self.query_one(f"#{name}", Bar)


def _too_small(width: int, height: int) -> tuple[Spans, Spans]:
    needs = f"{width}x{height}, needs {SMALLEST_WIDTH}x{SMALLEST_HEIGHT}"
    return (Span("window too small", "worst"),), (Span(needs, "muted"),)
