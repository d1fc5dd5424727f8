"""What of a rank's content goes into its own file, on the way to a hub or without one?

A file has room for everything, so nothing is replaced by something newer before it is in there.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import Protocol

from ddpwatch.link.outbox import QUEUE_LENGTH, REMARKS_LENGTH, Content, Outbox, Packed
from ddpwatch.link.pulse import Heart


class FrameFile(Protocol):
    """Keeps the frames of one rank; never raises for a disk that does not want them."""

    def take(self, frame: bytes, at: float) -> None:
        """Keep a frame made at `at`, in seconds of wall time."""
        ...

    def tick(self) -> None:
        """Bring what was taken into the file, if that was not done a moment ago."""
        ...

    def close(self) -> None:
        """Finish the file."""
        ...


class Tap:
    """Makes and keeps contents before they are sent; of the publisher's thread.

    `pack` makes a content's bytes, None where that fails; `seal` puts an envelope around bytes.
    """

    def __init__(
        self,
        file: FrameFile,
        outbox: Outbox,
        heart: Heart,
        *,
        pack: Callable[[Content], bytes | None],
        seal: Callable[[bytes, int, float], bytes],
    ) -> None:
        self._file = file
        self._outbox = outbox
        self._heart = heart
        self._pack = pack
        self._seal = seal
        self._spoken: deque[bytes] = deque(maxlen=QUEUE_LENGTH + REMARKS_LENGTH)

    def take(self) -> tuple[dict[Hashable, Content | Packed], list[Content]]:
        """Take what passes out of the outbox; to be done before the journal is filled."""
        queued = []
        while (content := self._outbox.next_queued()) is not None:
            queued.append(content)
        return self._outbox.take_latest(), queued

    def keep_entry(self, packed: bytes, number: int, at: float) -> None:
        """Keep an entry of the journal."""
        self._file.take(self._seal(packed, number, at), at)

    def keep_passing(self, latest: dict[Hashable, Content | Packed], queued: list[Content]) -> None:
        """Keep what was taken, and leave it where it will be sent from."""
        for content in queued:
            packed = self._kept(content)
            if packed is not None:
                self._spoken.append(packed)
        for slot, newest in latest.items():
            packed = newest.data if isinstance(newest, Packed) else self._kept(newest)
            if packed is not None:
                self._outbox.put_back(slot, Packed(packed))
        self._file.tick()

    def next_queued(self) -> bytes | None:
        """Take the oldest of what was queued and kept, to send it."""
        return self._spoken.popleft() if self._spoken else None

    def pulse(self, now: float, make: Callable[[Heart, float], bytes | None]) -> None:
        """Keep a pulse if it is time for one."""
        if self._heart.is_due(now):
            packed = make(self._heart, now)
            if packed is not None:
                self._file.take(self._seal(packed, 0, time.time()), time.time())

    def is_empty(self) -> bool:
        """Whether nothing that was kept is still to be sent."""
        return not self._spoken

    def close(self) -> None:
        """Finish the file."""
        self._file.close()

    def _kept(self, content: Content) -> bytes | None:
        packed = self._pack(content)
        if packed is not None:
            at = time.time()
            self._file.take(self._seal(packed, 0, at), at)
        return packed
