"""What do the ranks say? The live source: one socket that all of them dial, and viewers too.

What its consumer makes of a batch comes back through `take`, and from there goes to the viewers.
It may be opened in one thread and iterated in another, but only one thread at a time may touch it;
`stop` alone is for any thread at any time.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import final

import zmq

from ddpwatch.errors import FrameError
from ddpwatch.link.audience import Audience, Memory
from ddpwatch.link.binding import bound
from ddpwatch.link.clock import ReceiveClock
from ddpwatch.link.peers import Answer, Peer, Peers
from ddpwatch.wire import greeting
from ddpwatch.wire.codec import decode
from ddpwatch.wire.stamped import Item, Rejected, Stamped, Tick

MOST_FRAMES = 4096
"""Frames in one batch."""

LONGEST_WAIT = 0.1
GATHER = 0.01
"""Seconds left to others after the first frame, so that a batch is many frames and not one."""

BUSY = 64
"""Items of a batch after which the next one is not held back: they come fast enough."""

TICK = 1.0
LAST_WORDS = 500
"""Milliseconds in which viewers may still get what they were sent when the hub closes."""


@final
class Hub:
    """A ROUTER on one loopback address; a context manager, and a `Source`."""

    def __init__(
        self,
        address: str,
        token: bytes,
        *,
        memory: Memory | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Prepare; nothing is opened before `open`.

        Args:
            address: what `ddpwatch.wire.endpoint.resolve_bind` returned.
            token: the user's token; whoever cannot prove to hold it is turned away.
            memory: what knows all that a late viewer has to be told; without it viewers are
                turned away.
            clock: returns the receive time; wall time that never runs backwards, if None.
        """
        self._asked = address
        self._address = ""
        self._token = token
        self._now = clock or ReceiveClock()
        self._peers = Peers(token, greeting.new_session(), viewers=memory is not None)
        self._audience = None if memory is None else Audience(memory, self._offer)
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._socket: zmq.Socket[bytes] | None = None
        self._stopping = threading.Event()
        self._to_acknowledge: set[bytes] = set()
        self._is_busy = False
        self._next_tick = 0.0

    def open(self) -> None:
        """Listen.

        Raises:
            AddressInUseError: somebody else does; the text says who, where that can be told.
            UnsafeAddressError: the address is not loopback.
            UsageError: it cannot be had for another reason.
        """
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        try:
            self._socket = bound(context, self._asked, self._token)
        except BaseException:
            context.term()
            raise
        self._context = context
        self._address = self._socket.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0")
        self._next_tick = self._now() + TICK

    @property
    def address(self) -> str:
        """The endpoint that ranks can dial, with the real port; known once it was opened."""
        if not self._address:
            raise RuntimeError("expected a hub that was opened, got one that was not; call open()")
        return self._address

    def batches(self) -> Iterator[Sequence[Item]]:
        """Yield what arrived, in receive order, at least every 100 ms until `stop` is called."""
        socket = self._open_socket()
        while not self._stopping.is_set():
            yield self._batch(socket)

    def take(self, items: Sequence[Item]) -> None:
        """Pass on to the viewers what `batches` yielded and what was found in it.

        For the thread that iterates `batches`, between two batches; it never waits.
        """
        if self._audience is not None and self._socket is not None:
            self._audience.dismiss(self._peers.proven)
            self._audience.take(items, self._now())

    @property
    def viewers(self) -> int:
        """How many look on."""
        return 0 if self._audience is None else len(self._audience)

    def stop(self) -> None:
        """End `batches` within 100 ms; for any thread."""
        self._stopping.set()

    def close(self) -> None:
        """Stop listening; nobody may be iterating any more."""
        self.stop()
        if self._socket is not None and self._context is not None:
            if self._audience is not None:
                self._audience.flush(self._now())
            self._socket.close(linger=LAST_WORDS if self.viewers else 0)
            self._context.term()
            self._socket = self._context = None

    def __enter__(self) -> Hub:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open_socket(self) -> zmq.Socket[bytes]:
        if self._socket is None:
            raise RuntimeError("expected an open hub, got a closed one; call open() first")
        return self._socket

    def _batch(self, socket: zmq.Socket[bytes]) -> list[Item]:
        items: list[Item] = []
        until = self._now() + LONGEST_WAIT
        if socket.poll(int((LONGEST_WAIT - GATHER) * 1000)):
            if not self._is_busy:
                self._stopping.wait(GATHER)
            self._drain(socket, items, until)
            self._acknowledge(socket)
        self._is_busy = len(items) >= BUSY
        at = self._now()
        if at >= self._next_tick:
            # After all that had come: a tick before it would find ranks silent that are not.
            items.append(Tick(at))
            self._next_tick = at + TICK
            self._peers.forget_silent(at)
        return items

    def _drain(self, socket: zmq.Socket[bytes], items: list[Item], until: float) -> None:
        """Take in what has come, but not for ever."""
        now, receive = self._now, socket.recv_multipart
        for _ in range(MOST_FRAMES):
            try:
                parts = receive(zmq.DONTWAIT)
            except zmq.Again:
                return
            at = now()
            item = self._judged(socket, parts, at)
            if item is not None:
                items.append(item)
            if at > until:
                return

    def _judged(
        self, socket: zmq.Socket[bytes], parts: list[bytes], at: float
    ) -> Stamped | Rejected | None:
        if len(parts) != 2:
            return Rejected(at, "multipart")
        identity, frame = parts
        if greeting.is_greeting(frame):
            return self._greeted(socket, identity, frame, at)
        peer = self._peers.proven.get(identity)
        if peer is None:
            return self._answered(socket, identity, self._peers.stranger(identity, at), at)
        return self._heard(identity, peer, frame, at)

    def _greeted(
        self, socket: zmq.Socket[bytes], identity: bytes, frame: bytes, at: float
    ) -> Rejected | None:
        answer = self._peers.greeted(identity, frame, at)
        rejected = self._answered(socket, identity, answer, at)
        if self._audience is None:
            return rejected
        peer = self._peers.proven.get(identity)
        if answer.taken is not None:
            if not self._audience.acknowledge(identity, answer.taken):
                return Rejected(at, "malformed")
        elif peer is not None and peer.role == "viewer" and answer == Answer():
            self._audience.welcome(identity)
        return rejected

    def _heard(self, identity: bytes, peer: Peer, frame: bytes, at: float) -> Stamped | Rejected:
        if peer.role != "rank":
            return Rejected(at, "role")
        peer.heard = at
        try:
            envelope = decode(frame)
        except FrameError as error:
            return Rejected(at, error.kind)
        who = (envelope.run, envelope.rank, envelope.claim)
        if peer.who != who:
            if peer.who is not None:
                return Rejected(at, "impostor")
            peer.who = who
        if envelope.journal > peer.journal:
            peer.journal = envelope.journal
            self._to_acknowledge.add(identity)
        return Stamped(at, envelope, frame)

    def _answered(
        self, socket: zmq.Socket[bytes], identity: bytes, answer: Answer, at: float
    ) -> Rejected | None:
        if answer.reply is not None:
            _reply(socket, identity, answer.reply)
        return Rejected(at, answer.rejected) if answer.rejected else None

    def _acknowledge(self, socket: zmq.Socket[bytes]) -> None:
        for identity in self._to_acknowledge:
            peer = self._peers.proven.get(identity)
            if peer is not None:
                _reply(socket, identity, greeting.Ack(upto=peer.journal))
        self._to_acknowledge.clear()

    def _offer(self, identity: bytes, frame: bytes) -> bool:
        if self._socket is None:
            return False
        sent = _send(self._socket, identity, frame)
        if sent is None:
            self._peers.proven.pop(identity, None)
        return bool(sent)


def _reply(socket: zmq.Socket[bytes], identity: bytes, said: greeting.Greeting) -> None:
    _send(socket, identity, greeting.encode(said))


def _send(socket: zmq.Socket[bytes], identity: bytes, frame: bytes) -> bool | None:
    """Hand a frame over; False: there is no room, since the peer does not read; None: it left."""
    try:
        socket.send_multipart((identity, frame), zmq.DONTWAIT)
    except zmq.Again:
        return False
    except zmq.ZMQError as error:
        if error.errno != errno.EHOSTUNREACH:
            raise
        return None
    return True
