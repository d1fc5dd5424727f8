"""Is there a hub, and has it proven to be this user's? Until then, nothing but greetings is sent.

Each attempt is one connection with one greeting. Whatever goes wrong with it, the remedy is the
next attempt, a second later; ten seconds later where the peer is no hub of this user or refused.
"""

from __future__ import annotations

from collections.abc import Callable

import zmq

from ddpwatch.errors import TokenError
from ddpwatch.link.closing import Closing
from ddpwatch.link.complaints import Complaints
from ddpwatch.link.connection import Connection
from ddpwatch.link.introduction import Introduction, Verdict
from ddpwatch.wire import greeting

WAIT = 0.1
RETRY_AFTER = 1.0
SHUNNED_FOR = 10.0
ANSWER_WITHIN = 10.0
"""Seconds: a hub that is busy folding answers late, but it answers."""


class Seeker:
    """Finds a hub at one address; `connection` is one to a proven hub while `is_live`."""

    def __init__(
        self, endpoint: str, token: Callable[[], bytes], closing: Closing, complaints: Complaints
    ) -> None:
        self.connection: Connection | None = None
        self.session = ""
        self.is_live = False
        self._endpoint = endpoint
        self._token = token
        self._closing = closing
        self._complaints = complaints
        self._introduction: Introduction | None = None
        self._is_shunned = False
        self._was_live = False
        self._started_at: float | None = None
        self._next_attempt = 0.0

    @property
    def is_hopeless(self) -> bool:
        """Whether no hub was ever proven, and the latest attempt has already failed."""
        is_trying = self.connection is not None and not self._is_shunned
        return not self._was_live and not is_trying and self._started_at is not None

    def turn(self, context: zmq.Context[zmq.Socket[bytes]], now: float) -> None:
        """Wait a little and take the next step towards a proven hub."""
        if now < self._next_attempt and (self.connection is None or self._is_shunned):
            self._closing.pause(min(WAIT, self._next_attempt - now))
        elif self.connection is None or self._is_shunned:
            self._attempt(context, now)
        else:
            self._follow_up(self.connection, now)

    def lose(self) -> None:
        """Give the connection up, and try again not before a second after it was begun."""
        if self.connection is not None:
            self.connection.close()
        self.connection = self._introduction = None
        self.is_live = self._is_shunned = False
        self._next_attempt = (self._started_at or 0.0) + RETRY_AFTER

    def _attempt(self, context: zmq.Context[zmq.Socket[bytes]], now: float) -> None:
        self.lose()
        self._started_at, self._next_attempt = now, now + RETRY_AFTER
        try:
            self.connection = Connection(context, self._endpoint)
        except zmq.ZMQError as error:
            self._complaints.warn("connect", f"ddpwatch cannot dial {self._endpoint}: {error}")

    def _follow_up(self, connection: Connection, now: float) -> None:
        connection.wait(WAIT)
        if connection.is_lost or now > (self._started_at or 0.0) + ANSWER_WITHIN:
            self.lose()
        elif self._introduction is not None:
            frame = connection.receive()
            if frame is not None:
                self._judge(connection, self._introduction, frame, now)
        elif connection.is_ready:
            self._greet(connection)

    def _greet(self, connection: Connection) -> None:
        try:
            self._introduction = Introduction(self._token())
        except TokenError as error:
            self._complaints.warn("token", f"ddpwatch cannot greet a hub: {error}")
            self.lose()
        else:
            connection.send(greeting.encode(self._introduction.greet))

    def _judge(
        self, connection: Connection, introduction: Introduction, frame: bytes, now: float
    ) -> None:
        verdict = introduction.judge(frame)
        if introduction.reply is not None:
            connection.send(greeting.encode(introduction.reply))
        if verdict is Verdict.HUB:
            self.is_live = self._was_live = True
            self.session = introduction.session
        elif verdict is Verdict.STRANGER:
            self.lose()
        else:
            # The connection stays, unread, so that the reply gets out and the peer cannot hurry us.
            self._is_shunned = True
            self._next_attempt = now + SHUNNED_FOR
            self._complaints.warn(verdict.name, self._explain(verdict, introduction.reason))

    def _explain(self, verdict: Verdict, reason: str) -> str:
        if verdict is Verdict.REFUSED:
            return f"the hub at {self._endpoint} refused this rank ({reason!r}); training goes on"
        return (
            f"what listens at {self._endpoint} does not hold this user's token, so nothing is sent "
            f"to it; training goes on. If it is your own hub, set DDPWATCH_RUNTIME_DIR to the same "
            f"folder for both, or copy the token file to this machine"
        )
