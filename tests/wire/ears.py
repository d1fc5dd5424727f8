"""How does a test listen and speak: a hub with its thread, a false hub, and a false rank?"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, final

import zmq

from ddpwatch.link.connection import Connection
from ddpwatch.link.hub import Hub
from ddpwatch.link.introduction import Introduction, Verdict
from ddpwatch.link.journal import Journal
from ddpwatch.link.publisher import Publisher
from ddpwatch.wire import greeting
from ddpwatch.wire.codec import encode
from ddpwatch.wire.messages import Body, Envelope, Event, Pulse
from ddpwatch.wire.stamped import Rejected, Stamped

TOKEN = b"0123456789abcdef" * 2
ANY_PORT = "tcp://127.0.0.1:*"
LONG = 20.0
"""Seconds after which what a test waits for will not come any more."""


def event(kind: str, text: str = "") -> Event:
    return Event(kind=kind, at=0.0, text=text)


def enveloped(body: Body, *, rank: int = 0, seq: int = 1, journal: int = 0) -> bytes:
    return encode(Envelope("run", rank, "claim", seq, journal, 0.0, body))


def rank(endpoint: str, journal: Journal | None = None, **options: Any) -> Publisher:
    """An open publisher of rank 0."""
    options.setdefault("token", lambda: TOKEN)
    journal = Journal() if journal is None else journal
    publisher = Publisher(endpoint, "run", 0, "claim", journal=journal, **options)
    publisher.open()
    return publisher


@final
class Ear:
    """A hub that a thread iterates; what came can be waited for. `gate` holds its consumer up."""

    def __init__(self, address: str = ANY_PORT, token: bytes = TOKEN) -> None:
        self.hub = Hub(address, token)
        self.gate = threading.Event()
        self.gate.set()
        self.items: list[object] = []
        self._came = threading.Condition()
        self._thread = threading.Thread(target=self._listen)

    def _listen(self) -> None:
        for batch in self.hub.batches():
            with self._came:
                self.items += batch
                self._came.notify_all()
            self.gate.wait()

    def __enter__(self) -> Ear:
        self.hub.open()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.gate.set()
        self.hub.stop()
        self._thread.join()
        self.hub.close()

    @property
    def address(self) -> str:
        return self.hub.address

    @property
    def envelopes(self) -> list[Envelope]:
        return [item.envelope for item in list(self.items) if isinstance(item, Stamped)]

    @property
    def said(self) -> list[str]:
        """What came, in a word each: the kind of an event, else the class. Pulses are left out."""
        bodies = [each.body for each in self.envelopes if not isinstance(each.body, Pulse)]
        return [body.kind if isinstance(body, Event) else type(body).__name__ for body in bodies]

    @property
    def pulses(self) -> list[Pulse]:
        return [each.body for each in self.envelopes if isinstance(each.body, Pulse)]

    @property
    def rejected(self) -> list[str]:
        return [item.kind for item in list(self.items) if isinstance(item, Rejected)]

    def wait(self, until: Callable[[], object]) -> None:
        """Wait until something is true of what came."""
        with self._came:
            assert self._came.wait_for(until, LONG), f"only {self.said} and {self.rejected} came"


@final
class FakeHub:
    """A ROUTER without the token, on a port that ranks dial; keeps every frame it is sent."""

    def __init__(self, address: str = ANY_PORT) -> None:
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.socket = self.context.socket(zmq.ROUTER)
        self.socket.bind(address)
        self.address = self.socket.getsockopt_string(zmq.LAST_ENDPOINT)
        self.frames: list[bytes] = []

    def __enter__(self) -> FakeHub:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.destroy(linger=0)

    def receive(self) -> bytes:
        """Return the next frame's sender, the frame being the last of `frames`."""
        assert self.socket.poll(LONG * 1000), "no frame came"
        identity, *frames = self.socket.recv_multipart()
        self.frames += frames
        return identity

    def receive_for(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self.socket.poll(max(0, int((until - time.monotonic()) * 1000))):
            self.frames += self.socket.recv_multipart()[1:]


@final
class Dialler:
    """A DEALER that says what a test wants it to say."""

    def __init__(self, endpoint: str, **options: Any) -> None:
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.connection = Connection(self.context, endpoint, **options)
        until = time.monotonic() + LONG
        while not self.connection.is_ready and time.monotonic() < until:
            self.connection.wait(0.1)
        assert self.connection.is_ready

    def __enter__(self) -> Dialler:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.context.destroy(linger=0)

    def send(self, *parts: bytes) -> None:
        """Send one message, waiting for room."""
        if len(parts) == 1:
            while not self.connection.send(parts[0]):
                self.connection.wait(LONG, to_send=True)
        else:
            self.connection._socket.send_multipart(parts)

    def receive(self) -> bytes:
        until = time.monotonic() + LONG
        while (frame := self.connection.receive()) is None:
            assert time.monotonic() < until, "no frame came"
            self.connection.wait(0.1)
        return frame

    def greet(self, token: bytes = TOKEN) -> None:
        """Prove to be a rank."""
        introduction = Introduction(token)
        self.send(greeting.encode(introduction.greet))
        assert introduction.judge(self.receive()) is Verdict.HUB
        assert introduction.reply is not None
        self.send(greeting.encode(introduction.reply))
