"""What is a frame about, read without decoding all of it?"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import msgspec


class _Body(msgspec.Struct):
    """As much of a body as says which step of what it is; absent fields have their defaults."""

    stage: str = ""
    pass_: int = 0
    epoch: int = 0
    dataloader: int = 0
    step: int = -1


class _Frame(msgspec.Struct, array_like=True):
    run: str
    rank: int
    claim: str
    seq: msgspec.Raw
    journal: msgspec.Raw
    sent: msgspec.Raw
    body: _Body


class Where(NamedTuple):
    """Who speaks, of which pass over which dataloader, at which step."""

    who: tuple[str, int, str]
    stage: str
    pass_: int
    epoch: int
    dataloader: int
    step: int

    @property
    def place(self) -> Hashable:
        """All but the step."""
        return self[:-1]


_decoder = msgspec.msgpack.Decoder(_Frame)


def where_of(data: bytes) -> Where | None:
    """Return what a frame is about, or None where it cannot be read."""
    try:
        frame = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    body, who = frame.body, (frame.run, frame.rank, frame.claim)
    return Where(who, body.stage, body.pass_, body.epoch, body.dataloader, body.step)
