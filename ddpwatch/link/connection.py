"""How does a rank or a viewer hold one connection to one hub, and notice that it is gone?

A socket here never reconnects. Whoever listens on the port after a loss may be somebody else, so
what was proven about the peer holds for one connection only, and the next one is a new socket.
"""

from __future__ import annotations

import contextlib

import zmq
from zmq.utils.monitor import recv_monitor_message

FRAMES_UNDERWAY = 16
"""Frames that ZeroMQ may hold; few, so that a slow hub gets nothing old, and memory is bounded."""

LARGEST_REPLY = 8192
HANDSHAKE_SECONDS = 5
HEARTBEAT_SECONDS = 2
SILENCE_SECONDS = 8

_GONE = (
    zmq.EVENT_CLOSED
    | zmq.EVENT_DISCONNECTED
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)


class Connection:
    """One DEALER socket, used by the one thread that made it."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        endpoint: str,
        *,
        largest: int = LARGEST_REPLY,
    ) -> None:
        """Begin to connect; raises `zmq.ZMQError` where ZeroMQ cannot even try.

        ZeroMQ ends the connection at a frame of more than `largest` bytes.
        """
        self.is_ready = False
        self.is_lost = False
        self._socket = context.socket(zmq.DEALER)
        try:
            _configure(self._socket, endpoint, largest)
            self._monitor = self._socket.get_monitor_socket(_GONE | zmq.EVENT_HANDSHAKE_SUCCEEDED)
            self._socket.connect(endpoint)
        except zmq.ZMQError:
            self._socket.close(linger=0)
            raise

    def wait(self, seconds: float, *, to_send: bool = False) -> None:
        """Wait for a frame, for the end of the connection or, on request, for room to send."""
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN | (zmq.POLLOUT if to_send else 0))
        poller.register(self._monitor, zmq.POLLIN)
        poller.poll(int(seconds * 1000))
        self._note_events()

    def has_room(self) -> bool:
        """Say whether a frame could be handed over now."""
        return bool(int(self._socket.get(zmq.EVENTS)) & zmq.POLLOUT)

    def send(self, frame: bytes) -> bool:
        """Hand a frame over, or return False when there is no room for it now."""
        try:
            self._socket.send(frame, zmq.DONTWAIT)
        except zmq.Again:
            return False
        return True

    def receive(self) -> bytes | None:
        """Return the next frame, or None; a message of several parts counts as an empty frame."""
        try:
            parts = self._socket.recv_multipart(zmq.DONTWAIT)
        except zmq.Again:
            return None
        return parts[0] if len(parts) == 1 else b""

    def close(self) -> None:
        """Close at once; frames that ZeroMQ still holds are lost."""
        with contextlib.suppress(zmq.ZMQError):
            self._socket.disable_monitor()
        self._monitor.close(linger=0)
        self._socket.close(linger=0)

    def _note_events(self) -> None:
        while self._monitor.poll(0):
            event = recv_monitor_message(self._monitor)["event"]
            if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self.is_ready = True
            else:
                self.is_lost = True


def _configure(socket: zmq.Socket[bytes], endpoint: str, largest: int) -> None:
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.IMMEDIATE, 1)
    socket.setsockopt(zmq.RECONNECT_IVL, -1)
    socket.setsockopt(zmq.SNDHWM, FRAMES_UNDERWAY)
    socket.setsockopt(zmq.RCVHWM, FRAMES_UNDERWAY)
    socket.setsockopt(zmq.MAXMSGSIZE, largest)
    socket.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE_SECONDS * 1000)
    socket.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_SECONDS * 1000)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, SILENCE_SECONDS * 1000)
    socket.setsockopt(zmq.HEARTBEAT_TTL, SILENCE_SECONDS * 1000)
    socket.setsockopt(zmq.IPV6, int("[" in endpoint))
