"""How does a test see what is on the screen, and deliver the next snapshot?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from textual.pilot import Pilot

from ddpwatch.board.snapshot import Snapshot, View
from ddpwatch.tui.app import WatchApp
from ddpwatch.tui.widgets.grid import MetricGrid
from tests.tui.fake_controls import FakeControls
from tests.tui.fake_feed import FakeFeed


class Watching(NamedTuple):
    """A running app without a terminal."""

    app: WatchApp
    pilot: Pilot
    feed: FakeFeed

    @property
    def lines(self) -> list[str]:
        """What every line of the screen says."""
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def grid(self) -> MetricGrid:
        return self.app.screen.query_one(MetricGrid)

    @property
    def view(self) -> View:
        """What was asked for last."""
        return self.feed.views[-1]

    def line_with(self, words: str) -> str:
        return next(line for line in self.lines if words in line)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def deliver(self, snapshot: Snapshot) -> None:
        self.feed.deliver(snapshot)
        await self.pilot.pause()
        await self.pilot.pause()

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.pilot.pause()


@asynccontextmanager
async def watching(
    snapshot: Snapshot | None = None,
    size: tuple[int, int] = (120, 36),
    controls: FakeControls | None = None,
) -> AsyncIterator[Watching]:
    feed = FakeFeed(snapshot)
    # A timer that never comes round: snapshots arrive when the test says so.
    app = WatchApp(feed, refresh_hz=1e-3, controls=controls)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.pause()
        yield Watching(app, pilot, feed)
