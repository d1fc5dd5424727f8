"""In which order does a rank's content go out on a connection to a proven hub?

The journal first, so that what explains a message is there before it; then the queue, then whatever
is newest in each slot. What finds no room waits where newer content can still replace it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import NamedTuple

from ddpwatch.link.complaints import Complaints
from ddpwatch.link.connection import Connection
from ddpwatch.link.journal import Journal
from ddpwatch.link.outbox import Content, Outbox, Packed
from ddpwatch.link.pulse import Heart
from ddpwatch.link.tap import FrameFile, Tap
from ddpwatch.wire.codec import MAX_FRAME, pack, seal
from ddpwatch.wire.messages import Body, Bye, Declare, Hello, Message

ENTRIES_PER_TURN = 256
LARGEST_BODY = MAX_FRAME - 4096
"""Bytes; what surrounds a body in its frame always fits into the difference."""


class Who(NamedTuple):
    """Whose frames these are."""

    run: str
    rank: int
    claim: str


class Stream:
    """Takes from the outbox, keeps the journal, numbers the frames; for the publisher's thread."""

    def __init__(
        self,
        who: Who,
        journal: Journal,
        outbox: Outbox,
        heart: Heart,
        complaints: Complaints,
        *,
        file: FrameFile | None = None,
        file_heart: Heart | None = None,
    ) -> None:
        """`file` keeps every frame as well, hub or no hub; it has pulses of its own."""
        self.is_blocked = False
        self._who = who
        self._journal = journal
        self._tally = journal.tally
        self._outbox = outbox
        self._heart = heart
        self._complaints = complaints
        self._is_begun = False
        self._is_over = False
        self._pending: deque[int] = deque()
        self._held: bytes | None = None
        self._overflow_seen = 0
        self._filed = 0
        self._tap: Tap | None = None
        if file is not None:
            pulses = file_heart or heart
            self._tap = Tap(file, outbox, pulses, pack=self._packed, seal=self._seal_for_file)

    @property
    def has_backlog(self) -> bool:
        """Whether entries of the journal are still to be sent to this hub."""
        return bool(self._pending)

    def begin(self, session: str) -> None:
        """Start over with a proven hub: all that it has not acknowledged has to go out."""
        self._is_begun = True
        self._pending = deque(self._journal.unacknowledged(session))

    def end(self) -> None:
        """Forget the hub."""
        self._is_begun = self.is_blocked = False
        self._pending.clear()

    def collect(self) -> None:
        """Do the chores, bring what was left for the journal into it, count what overflowed.

        What passes is made only when it can be sent, unless there is a file to keep it.
        """
        if self._tap is None:
            self._collect()
            return
        passing = self._tap.take()
        self._collect()
        self._tap.keep_passing(*passing)
        if not self._is_over:
            self._tap.pulse(time.monotonic(), self._beat)

    def _collect(self) -> None:
        while (chore := self._outbox.next_chore()) is not None:
            self._do(chore)
        while (content := self._outbox.next_kept()) is not None:
            made = self._made(content)
            if made is not None:
                self._append(*made)
        overflowed = self._outbox.overflowed
        self._give_up(overflowed - self._overflow_seen)
        self._overflow_seen = overflowed

    def flow(self, connection: Connection, now: float) -> bool:
        """Send what there is and fits; returns whether anything went out."""
        before = self._tally.seq
        if self._tap is not None:
            self.collect()
        # Where there is no room, nothing is taken, let alone made: something newer may replace it.
        self.is_blocked = not connection.has_room()
        # Taken before the journal is filled: what explains these contents is then in the journal.
        latest = self._outbox.take_latest() if self._has_room() else {}
        self._collect()
        self._send_journal(connection)
        self._send_queue(connection)
        self._send_latest(connection, latest)
        self._send_pulse(connection, now)
        return self._tally.seq > before

    @property
    def is_drained(self) -> bool:
        """Whether nothing but the last word is left to say."""
        if self._pending or self._held is not None or not self._outbox.is_empty():
            return False
        return self._tap is None or self._tap.is_empty()

    def finish(self, bye: Bye) -> None:
        """Keep the last word, once; no pulse comes after it."""
        if not self._is_over:
            self._is_over = True
            self._append(bye, pack(bye))

    def close_file(self, bye: Bye | None) -> None:
        """Keep what is left, and the last word, in the file, and finish that."""
        if self._tap is None:
            return
        self.collect()
        if bye is not None:
            self.finish(bye)
        self._tap.close()

    def is_settled(self, session: str) -> bool:
        """Say whether the last word is said and the hub has acknowledged the journal."""
        return self._is_over and self._journal.is_settled(session)

    def _send_journal(self, connection: Connection) -> None:
        count = 0 if self.is_blocked else min(ENTRIES_PER_TURN, len(self._pending))
        for _ in range(count):
            entry = self._journal.get(self._pending[0])
            if entry is not None and not self._send(
                connection, entry.packed, number=entry.number, at=entry.at
            ):
                return
            self._pending.popleft()

    def _send_queue(self, connection: Connection) -> None:
        while self._has_room():
            packed = self._held or self._next_queued()
            if packed is None:
                return
            self._held = None if self._send(connection, packed) else packed

    def _send_latest(
        self, connection: Connection, latest: dict[Hashable, Content | Packed]
    ) -> None:
        for slot, content in latest.items():
            if not self._has_room():
                self._outbox.put_back(slot, content)
                continue
            packed = self._packed(content)
            if packed is not None and not self._send(connection, packed):
                self._outbox.put_back(slot, Packed(packed))

    def _send_pulse(self, connection: Connection, now: float) -> None:
        if self._is_over or self.is_blocked or not self._heart.is_due(now):
            return
        packed = self._beat(self._heart, now)
        if packed is not None:
            self._send(connection, packed)

    def _beat(self, heart: Heart, now: float) -> bytes | None:
        place, tally, lost = self._outbox.place, self._tally, self._journal.lost
        return self._packed(lambda: heart.beat(now, place, tally, lost))

    def _next_queued(self) -> bytes | None:
        if self._tap is not None and (packed := self._tap.next_queued()) is not None:
            return packed
        return self._packed(self._outbox.next_queued())

    def _has_room(self) -> bool:
        return not self._pending and not self.is_blocked

    def _send(
        self, connection: Connection, packed: bytes, *, number: int = 0, at: float | None = None
    ) -> bool:
        """Send a frame; False says that it found no room and is to be tried again."""
        seq = self._tally.seq + 1
        frame = seal(
            packed,
            run=self._who.run,
            rank=self._who.rank,
            claim=self._who.claim,
            seq=seq,
            journal=number,
            sent=time.time() if at is None else at,
        )
        if not connection.send(frame):
            self.is_blocked = True
            return False
        self._tally.seq = seq
        self._tally.bytes_sent += len(frame)
        return True

    def _append(self, body: Message, packed: bytes) -> None:
        lasting = isinstance(body, Hello | Declare)
        at = time.time()
        number = self._journal.append(packed, at, lasting=lasting)
        if self._tap is not None:
            self._tap.keep_entry(packed, number, at)
        if self._is_begun:
            self._pending.append(number)

    def _seal_for_file(self, packed: bytes, number: int, at: float) -> bytes:
        """The frame as the file gets it: the file misses none, so it numbers them by itself."""
        self._filed += 1
        return seal(
            packed,
            run=self._who.run,
            rank=self._who.rank,
            claim=self._who.claim,
            seq=self._filed,
            journal=number,
            sent=at,
        )

    def _do(self, chore: Callable[[], object]) -> None:
        try:
            chore()
        except Exception as error:  # noqa: BLE001 - the caller's code; its fault must not stop the rest
            self._tally.failures += 1
            self._complaints.warn("chore", "ddpwatch could not do its work", error=error)

    def _packed(self, content: Content | Packed | None) -> bytes | None:
        if content is None or isinstance(content, Packed):
            return content.data if content else None
        made = self._made(content)
        return made[1] if made else None

    def _made(self, content: Content) -> tuple[Body, bytes] | None:
        """Return the body and its bytes, or None where it could not be made or is too large."""
        try:
            body = content if isinstance(content, Message) else content()
            packed = pack(body)
        except Exception as error:  # noqa: BLE001 - the caller's code; its fault must not stop the rest
            self._tally.failures += 1
            self._complaints.warn("content", "ddpwatch could not make a message", error=error)
            return None
        if len(packed) > LARGEST_BODY:
            self._complaints.warn("size", f"ddpwatch gave up a message of {len(packed)} bytes")
            self._give_up(1)
            return None
        return body, packed

    def _give_up(self, count: int) -> None:
        self._tally.seq += count
        self._tally.dropped += count
