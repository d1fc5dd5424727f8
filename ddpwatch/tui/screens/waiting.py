"""What is to be done so that something appears here?"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Middle
from textual.widget import Widget

from ddpwatch.board.snapshot import LinkInfo
from ddpwatch.text import visible
from ddpwatch.tui import verbs
from ddpwatch.tui.screens import pages
from ddpwatch.tui.screens.watch_screen import WatchScreen
from ddpwatch.tui.shown import Shown
from ddpwatch.tui.widgets.tones import Bar, Span, Spans, Tone
from ddpwatch.wire.endpoint import DEFAULT_ENDPOINT, VARIABLE


class WaitingScreen(WatchScreen):
    """Shown until a first rank comes."""

    VERBS = verbs.ON_WAITING
    PAGE = pages.WAITING
    BINDINGS: ClassVar[list[BindingType]] = [*verbs.bindings(verbs.ON_WAITING)]
    AUTO_FOCUS = ""

    def body(self) -> Iterable[Widget]:
        """One text in the middle."""
        yield Middle(Bar(id="waiting"), classes="body")

    def draw(self, shown: Shown) -> None:
        """Say what is about to come, or else where the hub listens."""
        link = shown.snapshot.link if shown.snapshot else LinkInfo()
        bar = self.query_one("#waiting", Bar)
        width = min(self.app.size.width, 72) - 4
        waiting = _of_recording(shown) if shown.replay else shown.waiting
        if waiting:
            bar.show([(Span(line),) for line in textwrap.wrap(waiting, width)])
        elif link.live:
            bar.show(waiting_lines(link.address, width))
        else:
            bar.show(hub_lines(link.address, width))


def _of_recording(shown: Shown) -> str:
    if shown.snapshot is None:
        return shown.waiting or "Opening the recording."
    return "At this place of the recording no rank has come yet. Space plays it; > goes to the end \
of the first epoch."


def waiting_lines(address: str, width: int) -> tuple[Spans, ...]:
    """What to type in the training script, and before it where the address is not the default.

    An address too long for `width` cells is broken, not cut: it is there to be copied.
    """
    where = visible(address) if address else DEFAULT_ENDPOINT
    lines: list[Spans] = [
        (Span("Waiting for ranks at", "plain"),),
        *_broken(where, width, "global"),
        (),
        (Span("In the training script:", "muted"),),
        (),
        (Span("  from ddpwatch_lightning import DDPWatch", "strong"),),
        (Span("  trainer = Trainer(callbacks=[DDPWatch()])", "strong"),),
    ]
    if where != DEFAULT_ENDPOINT:
        lines += [
            (),
            (Span("Start it with this address in its environment:", "muted"),),
            (),
            *_broken(f"{VARIABLE}={where}", width, "strong"),
        ]
    lines += [(), (Span("A run that has already begun appears here too.", "muted"),)]
    return tuple(lines)


def hub_lines(address: str, width: int) -> tuple[Spans, ...]:
    """What is missing where there is not even a hub to look on through."""
    return (
        (Span("Waiting for a hub at", "plain"),),
        *_broken(visible(address), width, "global"),
        (),
        (Span("It is there once somebody has typed:", "muted"),),
        (),
        *_broken(f"ddpwatch serve --bind {visible(address)}", width, "strong"),
        (),
        (Span("All that it knows by then appears here.", "muted"),),
    )


def _broken(text: str, width: int, tone: Tone) -> list[Spans]:
    room = max(10, width - 2)
    return [(Span(f"  {text[at : at + room]}", tone),) for at in range(0, len(text), room)]
