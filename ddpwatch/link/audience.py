"""Who looks on, what has each still to get, and how far may the hub run ahead of them?

Pure but for the function that sends. Each viewer gets a snapshot, then what comes live. The hub
sends only so much that it has not been told is taken in; what comes beyond that waits, shared by
all who wait for it, and where it becomes too much it is dropped: once that viewer has taken in the
rest, it begins anew with another snapshot. So nobody is waited for, and nobody costs more memory
than the window and the backlog.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from ddpwatch.link.backlog import Backlog
from ddpwatch.wire import viewing
from ddpwatch.wire.stamped import Item

FLUSH_EVERY = 0.05
"""Seconds; batches that follow each other faster than that share a frame."""

MOST_HELD = 1024
"""Items that may wait for others to share their frame."""


class Memory(Protocol):
    """What knows all that a late viewer has to be told."""

    def take(self, items: Iterable[Item]) -> None:
        """Take in a batch, in receive order."""
        ...

    def items(self) -> list[Item]:
        """Return all that is known, as items of a source that has just begun."""
        ...


class Audience:
    """All viewers of one hub, by the identity that its socket gave them."""

    def __init__(self, memory: Memory, send: Callable[[bytes, bytes], bool]) -> None:
        """`send` hands a frame over to an identity, or says that there is no room; never waits."""
        self._memory = memory
        self._send = send
        self._viewers: dict[bytes, Backlog] = {}
        self._held: list[Item] = []
        self._flushed_at = float("-inf")

    def __len__(self) -> int:
        return len(self._viewers)

    def welcome(self, identity: bytes) -> None:
        """Let a viewer have a snapshot, and then what comes."""
        self._viewers[identity] = Backlog()
        self._pump(identity, self._viewers[identity])

    def dismiss(self, proven: Iterable[bytes]) -> None:
        """Forget all viewers but these."""
        for identity in self._viewers.keys() - set(proven):
            del self._viewers[identity]

    def acknowledge(self, identity: bytes, taken: int) -> bool:
        """Hear that a viewer has taken in so many frames; False where it cannot have."""
        viewer = self._viewers.get(identity)
        if viewer is None or not viewer.acknowledge(taken):
            return False
        self._pump(identity, viewer)
        return True

    def take(self, items: Sequence[Item], now: float) -> None:
        """Remember a batch, and pass it on to everybody at once or with the next one."""
        self._memory.take(items)
        if self._viewers:
            self._held += items
            if now - self._flushed_at >= FLUSH_EVERY or len(self._held) >= MOST_HELD:
                self.flush(now)

    def flush(self, now: float) -> None:
        """Pass on what was held; encoded once, whoever gets it."""
        self._flushed_at = now
        self._spread()
        for identity, viewer in list(self._viewers.items()):
            self._pump(identity, viewer)

    def _spread(self) -> None:
        items, self._held = self._held, []
        current = [viewer for viewer in self._viewers.values() if not viewer.is_behind]
        if items and current:
            for frame in viewing.encode(items):
                for viewer in current:
                    viewer.offer(frame)

    def _pump(self, identity: bytes, viewer: Backlog) -> None:
        if viewer.is_due_anew():
            # What is held is in the snapshot already, and has to go to the others before.
            self._spread()
            viewer.is_behind = False
            viewer.snapshot = viewing.encode(self._memory.items(), snapshot=True)
        while (frame := viewer.peek()) is not None and viewer.has_credit(frame):
            if not self._send(identity, frame):
                return
            viewer.note_sent(frame)
