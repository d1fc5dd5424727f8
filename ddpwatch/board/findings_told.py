"""How does a finding travel: from who proved it to a file, and to viewers that did not look on?"""

from __future__ import annotations

import msgspec

from ddpwatch.board.snapshot import Finding
from ddpwatch.errors import FrameError

LARGEST = 1 << 20
"""Bytes; what is longer is no finding."""


class Verdict(msgspec.Struct, frozen=True, array_like=True):
    """A finding with its newest numbers; `stands` is False where it was taken back."""

    finding: Finding
    stands: bool = True


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Verdict)


def encode(verdict: Verdict) -> bytes:
    """Return the bytes."""
    return _encoder.encode(verdict)


def decode(raw: bytes) -> Verdict:
    """Return the verdict, or raise `FrameError` (`malformed`)."""
    if len(raw) > LARGEST:
        raise FrameError("oversized", f"{len(raw)} bytes, at most {LARGEST}")
    try:
        return _decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FrameError("malformed", str(error)) from error
