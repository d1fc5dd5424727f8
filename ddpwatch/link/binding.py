"""How does a hub come to listen at an address, and what does it say when it cannot?"""

from __future__ import annotations

import contextlib
import errno
import resource
import socket as sockets
from pathlib import Path

import zmq

from ddpwatch.errors import AddressInUseError, UsageError
from ddpwatch.link.introduction import Verdict
from ddpwatch.link.port_owner import owner_of
from ddpwatch.link.probe import probe
from ddpwatch.wire.codec import MAX_FRAME
from ddpwatch.wire.endpoint import DEFAULT_PORT, require_loopback

FRAMES_WAITING = 32
"""Frames of one rank that may wait for a busy hub; others wait with the rank."""

BACKLOG = 1024
MOST_DESCRIPTORS = 65_536
HEARTBEAT_SECONDS = 5
SILENCE_SECONDS = 15


def bound(context: zmq.Context[zmq.Socket[bytes]], address: str, token: bytes) -> zmq.Socket[bytes]:
    """Return a ROUTER that listens at `address`.

    Raises:
        AddressInUseError: somebody else does; the text says who, where that can be told.
        UnsafeAddressError: the address is not loopback.
        UsageError: it cannot be had for another reason.
    """
    require_loopback(address)
    if _is_answered_path(address):
        raise AddressInUseError(_in_use(address, token))
    allow_many_connections()
    socket = context.socket(zmq.ROUTER)
    try:
        _configure(socket, address)
        socket.bind(address)
    except zmq.ZMQError as error:
        socket.close(linger=0)
        if error.errno == errno.EADDRINUSE:
            raise AddressInUseError(_in_use(address, token)) from error
        raise UsageError(
            f"expected an address that can be listened on, got {address}: {error}. "
            f"Try --bind 127.0.0.1:{DEFAULT_PORT}, or port 0 for any free one."
        ) from error
    return socket


def allow_many_connections() -> None:
    """Raise the limit of open files, often 1024, as far as it may be: each rank takes one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < most:
        # Some systems have a lower limit than the one they tell; then the soft one stays.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _configure(socket: zmq.Socket[bytes], address: str) -> None:
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.ROUTER_HANDOVER, 0)
    # Without it, what finds no room is thrown away in silence.
    socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
    socket.setsockopt(zmq.MAXMSGSIZE, MAX_FRAME)
    socket.setsockopt(zmq.RCVHWM, FRAMES_WAITING)
    socket.setsockopt(zmq.SNDHWM, FRAMES_WAITING)
    socket.setsockopt(zmq.BACKLOG, BACKLOG)
    socket.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_SECONDS * 1000)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, SILENCE_SECONDS * 1000)
    socket.setsockopt(zmq.IPV6, int("[" in address))


def _is_answered_path(address: str) -> bool:
    """Say whether somebody listens on an `ipc://` path: ZeroMQ would take it from them unasked."""
    if not address.startswith("ipc://"):
        return False
    path = address.removeprefix("ipc://")
    with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as dial:
        try:
            dial.connect(f"\0{path[1:]}" if path.startswith("@") else str(Path(path)))
        except OSError:
            return False
    return True


def _in_use(address: str, token: bytes) -> str:
    owner = owner_of(address)
    holder = str(owner) if owner else "another process"
    verdict = probe(address, token) or Verdict.STRANGER
    kind = {
        Verdict.HUB: ", which is a ddpwatch hub of yours",
        Verdict.OTHER_TOKEN: ", which is a ddpwatch hub with another token",
        Verdict.REFUSED: ", which is a ddpwatch hub of another version",
    }.get(verdict, "")
    look_on = (
        f"Look on through it (ddpwatch attach {address}), or listen"
        if verdict is Verdict.HUB
        else "Listen"
    )
    end_it = f", or end that process (kill {owner.pid})" if owner and owner.pid else ""
    return (
        f"expected a free address, got {address}: it is taken by {holder}{kind}. "
        f"{look_on} elsewhere "
        f"(--bind 127.0.0.1:PORT, with DDPWATCH=127.0.0.1:PORT for the training)"
        f"{end_it}."
    )
