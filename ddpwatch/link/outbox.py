"""What has the training thread left for the publisher's thread to send?

The training thread must not wait, not even for a lock whose holder was just put to sleep. Every
operation here is therefore one atomic step of a dict, a deque or an attribute, and no two threads
ever hold anything.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ddpwatch.wire.messages import Body

Content: TypeAlias = Body | Callable[[], Body]
"""A message, or a function without arguments that makes it: on the publisher's thread, once."""

QUEUE_LENGTH = 64
REMARKS_LENGTH = 512


Where: TypeAlias = tuple[str, str, float]
"""What makes a `Place`: a plain tuple, since the training thread makes one in every hook."""


class Place(NamedTuple):
    """The hook (and key) that the training thread entered at `since`, on the monotonic clock."""

    hook: str
    key: str
    since: float


@dataclass(frozen=True, slots=True)
class Packed:
    """A body that was made and packed but could not be sent yet."""

    data: bytes


class Outbox:
    """Filled by the training thread, emptied by the publisher's thread."""

    def __init__(
        self, queue_length: int = QUEUE_LENGTH, remarks_length: int = REMARKS_LENGTH
    ) -> None:
        self.where: Where = ("", "", time.monotonic())
        self.overflowed = 0
        self.unheard = 0
        self.is_shut = False
        self._queue_length = queue_length
        self._remarks_length = remarks_length
        self._kept: deque[Content] = deque()
        self._queued: deque[Content] = deque()
        self._remarks: deque[Content] = deque()
        self._latest: dict[Hashable, Content | Packed] = {}
        self._chores: deque[Callable[[], object]] = deque()

    def keep(self, content: Content) -> None:
        """Leave something for the journal."""
        self._kept.append(content)

    def queue(self, content: Content) -> None:
        """Leave something that may be dropped for something newer; drops count in `overflowed`."""
        if len(self._queued) >= self._queue_length:
            try:
                self._queued.popleft()
            except IndexError:
                pass
            else:
                self.overflowed += 1
        self._queued.append(content)

    def remark(self, content: Content) -> None:
        """Leave something that many may follow at once; drops count in `unheard`, nowhere else.

        So a flood of them takes no place from what was queued.
        """
        if len(self._remarks) >= self._remarks_length:
            try:
                self._remarks.popleft()
            except IndexError:
                pass
            else:
                self.unheard += 1
        self._remarks.append(content)

    def latest(self, slot: Hashable, content: Content) -> None:
        """Leave something that replaces whatever is still in its slot."""
        self._latest[slot] = content

    def later(self, chore: Callable[[], object]) -> None:
        """Leave some work of which nothing is sent."""
        self._chores.append(chore)

    @property
    def place(self) -> Place:
        """Where the training thread is."""
        return Place(*self.where)

    def next_chore(self) -> Callable[[], object] | None:
        """Take the oldest piece of work of which nothing is sent."""
        return self._chores.popleft() if self._chores else None

    def next_kept(self) -> Content | None:
        """Take the oldest content for the journal."""
        return self._kept.popleft() if self._kept else None

    def next_queued(self) -> Content | None:
        """Take the oldest of the queue, then of the remarks; the training thread may be faster."""
        with contextlib.suppress(IndexError):
            return self._queued.popleft()
        with contextlib.suppress(IndexError):
            return self._remarks.popleft()
        return None

    def take_latest(self) -> dict[Hashable, Content | Packed]:
        """Take what is in every slot, in the order in which the slots were first filled."""
        return {slot: self._latest.pop(slot) for slot in self._latest.copy()}

    def put_back(self, slot: Hashable, content: Content | Packed) -> None:
        """Return what could not be sent, unless the slot holds something newer by now."""
        self._latest.setdefault(slot, content)

    def is_empty(self) -> bool:
        """Say whether there is nothing to send at this moment."""
        return not (self._kept or self._queued or self._remarks or self._latest)

    def shut(self) -> None:
        """Take nothing any more and forget what is here, because nobody will ever come for it."""
        self.is_shut = True
        self._kept.clear()
        self._queued.clear()
        self._remarks.clear()
        self._latest.clear()
        self._chores.clear()
