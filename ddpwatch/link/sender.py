"""What does the publisher's thread do? In turns: look for a hub, or hear it and send."""

from __future__ import annotations

import logging
import time

import zmq

from ddpwatch.errors import FrameError, UnsafeAddressError
from ddpwatch.link.closing import Closing
from ddpwatch.link.connection import Connection
from ddpwatch.link.journal import Journal
from ddpwatch.link.outbox import Outbox
from ddpwatch.link.seeker import Seeker
from ddpwatch.link.stream import Stream
from ddpwatch.wire.endpoint import require_loopback
from ddpwatch.wire.greeting import Ack, from_hub

log = logging.getLogger("ddpwatch")

# The training thread wakes nobody: a wake-up costs it a system call and often the processor that
# it runs on. This thread looks for itself, often enough for a screen that redraws now and then.
BUSY_WAIT = 0.025
IDLE_WAIT = 0.1
IDLE_AFTER = 1.0
REPLIES_PER_TURN = 64


class Sender:
    """The thread's body; owns the ZeroMQ context and all that hangs on it."""

    def __init__(
        self,
        endpoint: str,
        *,
        journal: Journal,
        outbox: Outbox,
        stream: Stream,
        seeker: Seeker,
        closing: Closing,
    ) -> None:
        self._endpoint = endpoint
        self._journal = journal
        self._outbox = outbox
        self._stream = stream
        self._seeker = seeker
        self._closing = closing
        self._active_at = 0.0

    def run(self) -> None:
        """Work until closed; whatever goes wrong is logged once and ends this thread only."""
        try:
            require_loopback(self._endpoint)
            self._work()
        except UnsafeAddressError as error:
            log.warning("ddpwatch sends nothing: %s", error)
        except Exception:
            log.exception("ddpwatch stopped publishing from this rank; training goes on")
        finally:
            self._outbox.shut()

    def _work(self) -> None:
        # Not the shared instance: that one may belong to the process that this one was forked from.
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        try:
            while not self._is_done(time.monotonic()):
                self._turn(context)
        finally:
            self._stream.close_file(self._closing.bye)
            self._seeker.lose()
            context.destroy(linger=0)

    def _is_done(self, now: float) -> bool:
        if not self._closing.is_set:
            return False
        if self._seeker.is_live and self._stream.is_settled(self._seeker.session):
            return True
        return self._seeker.is_hopeless or now >= self._closing.deadline

    def _turn(self, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        connection = self._seeker.connection
        if connection is None or not self._seeker.is_live:
            self._stream.collect()
            self._seeker.turn(context, time.monotonic())
            if self._seeker.is_live:
                self._stream.begin(self._seeker.session)
            return
        connection.wait(self._patience(), to_send=self._stream.is_blocked)
        if connection.is_lost or not self._hear(connection):
            self._stream.end()
            self._seeker.lose()
            return
        if self._closing.bye is not None and self._stream.is_drained:
            self._stream.finish(self._closing.bye)
        if self._stream.flow(connection, time.monotonic()):
            self._active_at = time.monotonic()

    def _patience(self) -> float:
        if self._stream.has_backlog and not self._stream.is_blocked:
            return 0.0
        is_idle = time.monotonic() - self._active_at > IDLE_AFTER
        return IDLE_WAIT if is_idle and not self._closing.is_set else BUSY_WAIT

    def _hear(self, connection: Connection) -> bool:
        """Take in acknowledgements; anything else means that the greeting has to be done again."""
        for _ in range(REPLIES_PER_TURN):
            frame = connection.receive()
            if frame is None:
                break
            try:
                said = from_hub(frame)
            except FrameError:
                return False
            if not isinstance(said, Ack):
                return False
            self._journal.acknowledge(self._seeker.session, said.upto)
        return True
