"""What is one viewer still to get, and may it be sent now? Pure: frames in, frames out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

FRAMES_AHEAD = 12
"""Frames that one viewer may not have taken in yet. ZeroMQ has room for 32, but may learn 16 late
that there is room again."""

BYTES_AHEAD = 4 << 20
BYTES_WAITING = 8 << 20
"""Bytes of live frames that wait for a viewer, until it has to begin anew."""


@dataclass(slots=True)
class Backlog:
    """Frames under way to one viewer, frames that wait, a snapshot that is being sent."""

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
        if self.waiting and self.bytes_waiting + len(frame) > BYTES_WAITING:
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
