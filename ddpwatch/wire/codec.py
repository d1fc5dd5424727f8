"""How does a message become a frame, and a frame of unknown origin a message?"""

from __future__ import annotations

from typing import get_args

import msgspec

from ddpwatch.errors import FrameError
from ddpwatch.wire.arrays import check
from ddpwatch.wire.messages import Array, Body, Envelope, State

MAX_FRAME = 64 * 1024 * 1024
"""Bytes; a longer frame is refused before it is decoded."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Envelope)


class _Sealed(msgspec.Struct, array_like=True):
    """An envelope whose body is bytes already; the fields are those of `Envelope`, in its order."""

    run: str
    rank: int
    claim: str
    seq: int
    journal: int
    sent: float
    body: msgspec.Raw


class _Tagged(msgspec.Struct, array_like=True):
    """Just enough of an envelope to read the tag of a body that this version does not know."""

    run: msgspec.Raw
    rank: msgspec.Raw
    claim: msgspec.Raw
    seq: msgspec.Raw
    journal: msgspec.Raw
    sent: msgspec.Raw
    body: dict[str, msgspec.Raw]


_tags = msgspec.msgpack.Decoder(_Tagged)
_known = frozenset(str(body.__struct_config__.tag).encode() for body in get_args(Body))


def encode(envelope: Envelope) -> bytes:
    """Return the frame."""
    return _encoder.encode(envelope)


def pack(body: Body) -> bytes:
    """Return the body's bytes, to be sealed into a frame now or later, once or several times."""
    return _encoder.encode(body)


def seal(
    packed: bytes, *, run: str, rank: int, claim: str, seq: int, journal: int, sent: float
) -> bytes:
    """Return the frame around a packed body: what `encode` makes of the same envelope."""
    return _encoder.encode(_Sealed(run, rank, claim, seq, journal, sent, msgspec.Raw(packed)))


def decode(frame: bytes) -> Envelope:
    """Return the message, or raise `FrameError` (`oversized`, `unknown`, `malformed`)."""
    if len(frame) > MAX_FRAME:
        raise FrameError("oversized", f"{len(frame)} bytes, at most {MAX_FRAME}")
    try:
        envelope = _decoder.decode(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        kind = "unknown" if _has_unknown_tag(frame) else "malformed"
        raise FrameError(kind, str(error)) from error
    if isinstance(envelope.body, State):
        for metric in envelope.body.metrics:
            for state in metric.states:
                if isinstance(state, Array):
                    check(state)
    return envelope


def _has_unknown_tag(frame: bytes) -> bool:
    try:
        tag = msgspec.msgpack.decode(_tags.decode(frame).body["t"], type=str)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, KeyError):
        return False
    return tag.encode() not in _known
