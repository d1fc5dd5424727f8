"""Is whoever answers at the hub's address a hub of this user? The dialling half of a greeting."""

from __future__ import annotations

from enum import Enum, auto

from ddpwatch.errors import FrameError
from ddpwatch.wire.greeting import (
    Greet,
    Greeting,
    Proof,
    Refused,
    Welcome,
    from_hub,
    hub_proof,
    new_nonce,
    rank_proof,
    same,
)
from ddpwatch.wire.messages import PROTOCOL


class Verdict(Enum):
    """What the first answer on a connection means."""

    HUB = auto()
    STRANGER = auto()
    OTHER_TOKEN = auto()
    REFUSED = auto()


class Introduction:
    """One greeting on one connection: what to say, what the answer means, what to say to that."""

    def __init__(self, token: bytes, role: str = "rank") -> None:
        """`role` is `rank` or `viewer`."""
        self.greet = Greet(protocol=PROTOCOL, role=role, nonce=new_nonce())
        self.session = ""
        self.reason = ""
        self.reply: Greeting | None = None
        self._token = token

    def judge(self, frame: bytes) -> Verdict:
        """Decide on the first frame that came; `session`, `reason` and `reply` say more."""
        try:
            answer = from_hub(frame)
        except FrameError:
            return Verdict.STRANGER
        if isinstance(answer, Refused):
            self.reason = f"{answer.reason}: {answer.text}"
            return Verdict.REFUSED
        if not isinstance(answer, Welcome):
            return Verdict.STRANGER
        return self._welcomed(answer)

    def _welcomed(self, answer: Welcome) -> Verdict:
        said = (self._token, self.greet, answer.session, answer.nonce)
        if not same(answer.proof, hub_proof(*said)):
            text = f"this {self.greet.role} holds another token"
            self.reply = Refused(reason="wrong_token", text=text)
            return Verdict.OTHER_TOKEN
        self.session = answer.session
        self.reply = Proof(proof=rank_proof(*said))
        return Verdict.HUB
