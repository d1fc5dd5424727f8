"""Which connections has the hub come to trust, and what does it answer to the others?

Pure: frames and times come in, answers go out, no socket. A frame gets one answer at most, and a
stranger's envelopes one in a second; a stranger who says nothing gets none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ddpwatch.errors import FrameError
from ddpwatch.wire import greeting
from ddpwatch.wire.greeting import Greet, Greeting, Proof, Refused, Taken, Unknown, Welcome
from ddpwatch.wire.messages import PROTOCOL

MOST_PENDING = 4096
MOST_PROVEN = 65_536
SILENT_AFTER = 60.0
"""Seconds without a frame (pulses come every second) until a connection has to greet again."""

UNKNOWN_EVERY = 1.0


@dataclass(slots=True)
class Peer:
    """A connection that has proven itself; `who` is (run, rank, claim) since its first envelope."""

    heard: float
    role: str = "rank"
    who: tuple[str, int, str] | None = None
    journal: int = 0


@dataclass(slots=True)
class Pending:
    """A connection that has not proven itself: what it was asked, and when it was last answered."""

    expected: bytes = b""
    role: str = "rank"
    told_unknown: float = float("-inf")


class Answer(NamedTuple):
    """What to send back (None: nothing) and the kind under which the frame is counted (if any).

    `taken` is how many frames a viewer says it has taken in.
    """

    reply: Greeting | None = None
    rejected: str = ""
    taken: int | None = None


class Peers:
    """All connections of one hub, by the identity that its socket gave them."""

    def __init__(
        self,
        token: bytes,
        session: str,
        *,
        viewers: bool = False,
        most_pending: int = MOST_PENDING,
        most_proven: int = MOST_PROVEN,
    ) -> None:
        """With `viewers`, those who only look on are served too."""
        self.proven: dict[bytes, Peer] = {}
        self._token = token
        self._session = session
        self._roles = ("rank", "viewer") if viewers else ("rank",)
        self._most_pending = most_pending
        self._most_proven = most_proven
        self._pending: dict[bytes, Pending] = {}

    def greeted(self, identity: bytes, frame: bytes, now: float) -> Answer:
        """Take in a frame that is a greeting, or claims to be one."""
        try:
            said = greeting.from_rank(frame)
        except FrameError as error:
            return Answer(rejected=error.kind)
        if isinstance(said, Greet):
            return self._greet(identity, said)
        if isinstance(said, Proof):
            return self._proof(identity, said, now)
        if isinstance(said, Taken):
            return self._taken(identity, said, now)
        self._pending.pop(identity, None)
        return Answer(rejected="wrong_token" if said.reason == "wrong_token" else "refused")

    def stranger(self, identity: bytes, now: float) -> Answer:
        """Take in an envelope from a connection that has not proven itself."""
        pending = self._pending.get(identity) or self._remember(identity, Pending())
        if now - pending.told_unknown < UNKNOWN_EVERY:
            return Answer(rejected="unauthenticated")
        pending.told_unknown = now
        return Answer(Unknown(), "unauthenticated")

    def forget_silent(self, now: float) -> None:
        """Let go of connections that have been silent for long; a living one will greet again."""
        for identity, peer in list(self.proven.items()):
            if now - peer.heard > SILENT_AFTER:
                del self.proven[identity]

    def _greet(self, identity: bytes, greet: Greet) -> Answer:
        self.proven.pop(identity, None)
        if greet.protocol != PROTOCOL:
            who = greet.role if greet.role in self._roles else "peer"
            text = f"hub speaks {PROTOCOL}, {who} speaks {greet.protocol}: install the same version"
            return Answer(Refused(reason="protocol", text=text), "protocol")
        if greet.role not in self._roles:
            text = f"the hub serves {' and '.join(f'{role}s' for role in self._roles)}"
            return Answer(Refused(reason="role", text=text), "role")
        nonce = greeting.new_nonce()
        said = (self._token, greet, self._session, nonce)
        self._remember(identity, Pending(greeting.rank_proof(*said), greet.role))
        proof = greeting.hub_proof(*said)
        return Answer(Welcome(protocol=PROTOCOL, session=self._session, nonce=nonce, proof=proof))

    def _proof(self, identity: bytes, said: Proof, now: float) -> Answer:
        pending = self._pending.pop(identity, None)
        if pending is None or not pending.expected:
            return self.stranger(identity, now)
        if not greeting.same(said.proof, pending.expected):
            return Answer(Refused(reason="wrong_token"), "wrong_token")
        if len(self.proven) >= self._most_proven:
            del self.proven[next(iter(self.proven))]
        self.proven[identity] = Peer(heard=now, role=pending.role)
        return Answer()

    def _taken(self, identity: bytes, said: Taken, now: float) -> Answer:
        peer = self.proven.get(identity)
        if peer is None:
            return self.stranger(identity, now)
        peer.heard = now
        return Answer(taken=said.frames) if peer.role == "viewer" else Answer(rejected="role")

    def _remember(self, identity: bytes, pending: Pending) -> Pending:
        self._pending.pop(identity, None)
        if len(self._pending) >= self._most_pending:
            del self._pending[next(iter(self._pending))]
        self._pending[identity] = pending
        return pending
