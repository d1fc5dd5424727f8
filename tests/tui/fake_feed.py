"""A feed that delivers what a test tells it to."""

from __future__ import annotations

from collections.abc import Callable

from ddpwatch.board.snapshot import Snapshot, View


class FakeFeed:
    """Remembers what was asked; answers only when the test says so."""

    def __init__(self, snapshot: Snapshot | None = None) -> None:
        self.first = snapshot
        self.views: list[View] = []
        self.started = self.stopped = 0
        self.deliver: Callable[[Snapshot], None] = lambda _: None
        self.failed: Callable[[BaseException], None] = lambda _: None

    def start(self, deliver, failed):
        self.started += 1
        self.deliver, self.failed = deliver, failed
        if self.first is not None:
            deliver(self.first)

    def request(self, view):
        self.views.append(view)

    def stop(self):
        self.stopped += 1
