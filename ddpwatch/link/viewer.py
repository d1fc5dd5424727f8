"""What does a running hub know? A source that looks on at what another process receives.

It may be opened in one thread and iterated in another, but only one thread at a time may touch it;
`stop` alone is for any thread at any time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import final

import zmq

from ddpwatch.errors import FrameError, HubError
from ddpwatch.link.connection import Connection
from ddpwatch.link.introduction import Introduction, Verdict
from ddpwatch.link.refusals import garbled, refused
from ddpwatch.wire import greeting, viewing
from ddpwatch.wire.endpoint import require_loopback
from ddpwatch.wire.greeting import Refused, Taken
from ddpwatch.wire.stamped import Item, Lost, Tick
from ddpwatch.wire.viewing import Part

WAIT = 0.1
RETRY_AFTER = 1.0
ANSWER_WITHIN = 15.0
"""Seconds: a hub that is busy folding answers late, but it answers."""

TICK = 1.0
MOST_FRAMES = 64
"""Frames in one batch."""


@final
class Viewer:
    """One connection to a hub, made again whenever it is lost; a context manager and a `Source`."""

    def __init__(
        self, address: str, token: bytes, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare; nothing is opened before `open`.

        Args:
            address: what `ddpwatch.wire.endpoint.resolve` returned.
            token: the user's token, which the hub has to hold too.
            clock: returns seconds that never run backwards; only differences count.
        """
        self.address = address
        self._token = token
        self._clock = clock
        self._stopping = threading.Event()
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._connection: Connection | None = None
        self._introduction: Introduction | None = None
        self._is_proven = self._is_live = self._has_told = False
        self._heard_at = self._next_attempt = self._next_tick = 0.0
        self._snapshot: list[Item] = []
        self._taken = self._acknowledged = 0
        self._hub_time: tuple[float, float] | None = None

    def open(self) -> None:
        """Get ready to connect.

        Raises:
            UnsafeAddressError: the address is not loopback.
        """
        require_loopback(self.address)
        self._context = zmq.Context()
        self._next_attempt = self._clock()

    def batches(self) -> Iterator[Sequence[Item]]:
        """Yield what the hub passes on, at least every 100 ms, until `stop` is called.

        While no hub answers, after `Lost`, times alone come; whatever hub answers next, all that it
        knows comes in one batch that begins with `Restart`.

        Raises:
            HubError: what answers is no hub of this user and version.
        """
        if self._context is None:
            raise RuntimeError("expected an open viewer, got a closed one; call open() first")
        while not self._stopping.is_set():
            yield self._batch(self._context)

    def stop(self) -> None:
        """End `batches` within 100 ms; for any thread."""
        self._stopping.set()

    def close(self) -> None:
        """Hang up; nobody may be iterating any more."""
        self.stop()
        if self._context is not None:
            self._hang_up()
            self._context.term()
            self._context = None

    def __enter__(self) -> Viewer:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _batch(self, context: zmq.Context[zmq.Socket[bytes]]) -> list[Item]:
        items: list[Item] = []
        connection, now = self._connection, self._clock()
        if connection is None and now < self._next_attempt:
            self._stopping.wait(min(WAIT, self._next_attempt - now))
        elif connection is None:
            self._dial(context, now)
        else:
            # The batch before has been folded by now: that is what the hub may count on.
            self._acknowledge(connection)
            connection.wait(WAIT)
            self._receive(connection, items)
            if self._connection is not None and self._is_over(connection):
                self._hang_up()
        if not self._is_live:
            items += self._alone()
        return items

    def _dial(self, context: zmq.Context[zmq.Socket[bytes]], now: float) -> None:
        self._heard_at, self._next_attempt = now, now + RETRY_AFTER
        try:
            self._connection = Connection(context, self.address, largest=viewing.LARGEST_FRAME)
        except zmq.ZMQError as error:
            raise HubError(
                f"expected an address that can be dialled, got {self.address}: {error}"
            ) from error

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._introduction = None
        self._has_told = self._has_told and not self._is_live
        self._is_proven = self._is_live = False
        self._snapshot = []
        self._taken = self._acknowledged = 0

    def _is_over(self, connection: Connection) -> bool:
        return connection.is_lost or self._clock() - self._heard_at > ANSWER_WITHIN

    def _acknowledge(self, connection: Connection) -> None:
        if self._taken > self._acknowledged:
            said = greeting.encode(Taken(frames=self._taken))
            if connection.send(said):
                self._acknowledged = self._taken

    def _receive(self, connection: Connection, items: list[Item]) -> None:
        if self._introduction is None:
            if connection.is_ready:
                self._introduction = Introduction(self._token, "viewer")
                connection.send(greeting.encode(self._introduction.greet))
            return
        for _ in range(MOST_FRAMES):
            frame = None if self._connection is None else connection.receive()
            if frame is None:
                return
            self._heard_at = self._clock()
            if not self._is_proven:
                self._judge(connection, self._introduction, frame)
            elif greeting.is_greeting(frame):
                self._told(frame)
            else:
                self._take(frame, items)

    def _judge(self, connection: Connection, introduction: Introduction, frame: bytes) -> None:
        verdict = introduction.judge(frame)
        if introduction.reply is not None:
            connection.send(greeting.encode(introduction.reply))
        if verdict is not Verdict.HUB:
            # A moment in which the reply can get out, so that the hub can count it.
            connection.wait(WAIT)
            raise HubError(refused(self.address, verdict, introduction.reason))
        self._is_proven = True

    def _told(self, frame: bytes) -> None:
        """Take in what is no content: that the hub does not know this viewer, or not any more."""
        try:
            said = greeting.from_hub(frame)
        except FrameError as error:
            raise HubError(garbled(self.address, error)) from error
        if isinstance(said, Refused):
            reason = f"{said.reason}: {said.text}"
            raise HubError(refused(self.address, Verdict.REFUSED, reason))
        self._hang_up()

    def _take(self, frame: bytes, items: list[Item]) -> None:
        try:
            part, read = viewing.decode(frame)
        except FrameError as error:
            raise HubError(garbled(self.address, error)) from error
        self._taken += 1
        if read:
            self._hub_time = (read[-1].at, self._heard_at)
        if part is Part.LIVE:
            items += read
            return
        # Half of what is known would look like less on the screen: it is shown when it is whole.
        self._snapshot += read
        if part is Part.SNAPSHOT_END:
            items += self._snapshot
            self._snapshot = []
            self._is_live = True

    def _alone(self) -> Iterator[Item]:
        """Say once that nobody answers; from then on, what time it would be for the hub."""
        now = self._clock()
        at = 0.0
        if self._hub_time is not None:
            at = self._hub_time[0] + now - self._hub_time[1]
        if not self._has_told:
            self._has_told = True
            self._next_tick = now + TICK
            yield Lost(at)
        elif now >= self._next_tick and self._hub_time is not None:
            self._next_tick = now + TICK
            yield Tick(at)
