"""Is what listens at an address a hub, and one of this user's?"""

from __future__ import annotations

import time

import zmq

from ddpwatch.link.connection import Connection
from ddpwatch.link.introduction import Introduction, Verdict
from ddpwatch.wire.greeting import encode

PATIENCE = 0.5


def probe(endpoint: str, token: bytes, patience: float = PATIENCE) -> Verdict | None:
    """Greet it as a rank would, and return what the answer means; None when no hub answers."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    try:
        connection = Connection(context, endpoint)
    except zmq.ZMQError:
        context.term()
        return None
    try:
        return _answer(connection, Introduction(token), time.monotonic() + patience)
    finally:
        connection.close()
        context.term()


def _answer(connection: Connection, introduction: Introduction, until: float) -> Verdict | None:
    has_greeted = False
    while not connection.is_lost and time.monotonic() < until:
        connection.wait(max(0.0, until - time.monotonic()))
        if connection.is_ready and not has_greeted:
            has_greeted = connection.send(encode(introduction.greet))
        frame = connection.receive()
        if frame is not None:
            verdict = introduction.judge(frame)
            return None if verdict is Verdict.STRANGER else verdict
    return None
