"""How does a finding travel: from who proved it to a file, and to viewers that did not look on?"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from ddpwatch.board.snapshot import Finding
from ddpwatch.errors import FrameError

LARGEST = 1 << 20
"""Bytes; what is longer is no finding."""


class Case(NamedTuple):
    """What makes two findings the same one."""

    code: str
    key: str
    stage: str
    dataloader: int


class Verdict(msgspec.Struct, frozen=True, array_like=True):
    """A finding with its newest numbers; `stands` is False where it was taken back."""

    finding: Finding
    stands: bool = True


def case_of(finding: Finding) -> Case:
    """One finding for each code, key, stage and dataloader, not one for each epoch."""
    key = finding.pass_key
    stage, loader = (key.stage, key.dataloader) if key is not None else ("", 0)
    return Case(finding.code, finding.key, stage, loader)


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
