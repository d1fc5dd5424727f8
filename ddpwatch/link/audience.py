"""Who looks on, what has each still to get, and how far may the hub run ahead of them?

Pure but for the function that sends. Each viewer gets a snapshot, then what comes live. The hub
sends only so much that it has not been told is taken in; what comes beyond that waits, shared by
all who wait for it, and where it becomes too much it is dropped: once that viewer has taken in the
rest, it begins anew with another snapshot. So nobody is waited for, and nobody costs more memory
than the window and the backlog.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ddpwatch.wire import viewing
from ddpwatch.wire.stamped import Item

FRAMES_AHEAD = 12
"""Frames that one viewer may not have taken in yet. ZeroMQ has room for 32, but may learn 16 late
that there is room again."""

BYTES_AHEAD = 4 << 20
BACKLOG = 8 << 20
"""Bytes of live frames that wait for a viewer, until it has to begin anew."""

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


@dataclass(slots=True)
class _Viewer:
    """One viewer: frames under way to it, frames that wait, a snapshot that is being sent."""

    is_behind: bool = True
    taken: int = 0
    underway: deque[int] = field(default_factory=deque)
    bytes_underway: int = 0
    snapshot: Iterator[bytes] | None = None
    next_frame: bytes | None = None
    waiting: deque[bytes] = field(default_factory=deque)
    bytes_waiting: int = 0

    def offer(self, frame: bytes) -> None:
        """Let a live frame wait; it falls behind where there are too many."""
        if self.is_behind:
            return
        if self.waiting and self.bytes_waiting + len(frame) > BACKLOG:
            self.is_behind = True
            self.waiting.clear()
            self.bytes_waiting = 0
            return
        self.waiting.append(frame)
        self.bytes_waiting += len(frame)

    def acknowledge(self, taken: int) -> bool:
        """Take in how many frames it has taken in; False where it cannot have."""
        if not self.taken <= taken <= self.taken + len(self.underway):
            return False
        for _ in range(taken - self.taken):
            self.bytes_underway -= self.underway.popleft()
        self.taken = taken
        return True

    def is_due_anew(self) -> bool:
        """Whether it has missed something and has taken in all that came before."""
        return self.is_behind and not self.underway and self.peek() is None

    def peek(self) -> bytes | None:
        """The frame that comes next: of the snapshot first."""
        if self.next_frame is None and self.snapshot is not None:
            self.next_frame = next(self.snapshot, None)
            if self.next_frame is None:
                self.snapshot = None
        if self.next_frame is None and self.waiting:
            self.next_frame = self.waiting.popleft()
            self.bytes_waiting -= len(self.next_frame)
        return self.next_frame

    def has_credit(self, frame: bytes) -> bool:
        """Whether the hub may send it now; a single frame may be of any size."""
        if not self.underway:
            return True
        fits = self.bytes_underway + len(frame) <= BYTES_AHEAD
        return fits and len(self.underway) < FRAMES_AHEAD

    def note_sent(self, frame: bytes) -> None:
        """Count a frame as under way."""
        self.next_frame = None
        self.underway.append(len(frame))
        self.bytes_underway += len(frame)


class Audience:
    """All viewers of one hub, by the identity that its socket gave them."""

    def __init__(self, memory: Memory, send: Callable[[bytes, bytes], bool]) -> None:
        """`send` hands a frame over to an identity, or says that there is no room; never waits."""
        self._memory = memory
        self._send = send
        self._viewers: dict[bytes, _Viewer] = {}
        self._held: list[Item] = []
        self._flushed_at = float("-inf")

    def __len__(self) -> int:
        return len(self._viewers)

    def welcome(self, identity: bytes) -> None:
        """Let a viewer have a snapshot, and then what comes."""
        self._viewers[identity] = _Viewer()
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

    def _pump(self, identity: bytes, viewer: _Viewer) -> None:
        if viewer.is_due_anew():
            # What is held is in the snapshot already, and has to go to the others before.
            self._spread()
            viewer.is_behind = False
            viewer.snapshot = viewing.encode(self._memory.items(), snapshot=True)
        while (frame := viewer.peek()) is not None and viewer.has_credit(frame):
            if not self._send(identity, frame):
                return
            viewer.note_sent(frame)
