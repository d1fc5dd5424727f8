"""How do hub and rank, or viewer, prove to each other that they hold one token, unshown?

A greeting is a msgpack map with a tag; an `Envelope` is a msgpack array. The first byte tells them
apart. Both nonces enter both proofs and each direction has its own label, so that a proof can
neither be replayed nor sent back to whoever made it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Annotated, TypeAlias, TypeVar

import msgspec

from ddpwatch.errors import FrameError
from ddpwatch.wire.messages import PROTOCOL, Count, Name

MAX_GREETING = 4096
"""Bytes; a longer greeting is refused before it is decoded."""

NONCE_SIZE = 32
_FIRST_ARRAY_BYTE = b"\x90"

Nonce = Annotated[bytes, msgspec.Meta(min_length=NONCE_SIZE, max_length=NONCE_SIZE)]
Digest = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
Session = Annotated[str, msgspec.Meta(min_length=32, max_length=32)]


class Greeting(msgspec.Struct, frozen=True, kw_only=True, tag_field="t"):
    """Base of what a connection says about itself, as opposed to what a rank measured."""


class Greet(Greeting, frozen=True, kw_only=True, tag="greet"):
    """Rank or viewer to hub: who are you? The first frame of every connection."""

    protocol: Count
    role: Name = "rank"
    nonce: Nonce


class Welcome(Greeting, frozen=True, kw_only=True, tag="welcome"):
    """Hub to rank: the proof that it holds the token. Each start of a hub has its own `session`."""

    protocol: Count
    session: Session
    nonce: Nonce
    proof: Digest


class Proof(Greeting, frozen=True, kw_only=True, tag="proof"):
    """Rank to hub: the proof that it holds the token. From here on, envelopes are heard."""

    proof: Digest


class Ack(Greeting, frozen=True, kw_only=True, tag="ack"):
    """Hub to rank: every journal entry up to this number that this connection carried has come."""

    upto: Count


class Unknown(Greeting, frozen=True, kw_only=True, tag="unknown"):
    """Hub to rank: an envelope came before a proof, or the hub has forgotten it. Greet me again."""


class Refused(Greeting, frozen=True, kw_only=True, tag="refused"):
    """Either way: no. `reason` is `protocol`, `role` or `wrong_token`; `text` is for a person."""

    reason: Name
    text: Name = ""
    protocol: Count = PROTOCOL


class Taken(Greeting, frozen=True, kw_only=True, tag="taken"):
    """Viewer to hub: so many of this connection's frames have been taken in; more may come."""

    frames: Count


FromRank: TypeAlias = Greet | Proof | Refused | Taken
FromHub: TypeAlias = Welcome | Ack | Unknown | Refused
T = TypeVar("T")

_encoder = msgspec.msgpack.Encoder()
_from_rank = msgspec.msgpack.Decoder(FromRank)
_from_hub = msgspec.msgpack.Decoder(FromHub)


def is_greeting(frame: bytes) -> bool:
    """Say whether the frame claims to be a greeting rather than an envelope, by its first byte."""
    return frame[:1] < _FIRST_ARRAY_BYTE


def encode(greeting: Greeting) -> bytes:
    """Return the frame."""
    return _encoder.encode(greeting)


def from_rank(frame: bytes) -> FromRank:
    """Decode what a hub received, or raise `FrameError` (`oversized`, `malformed`)."""
    return _decoded(frame, _from_rank)


def from_hub(frame: bytes) -> FromHub:
    """Decode what a rank received, or raise `FrameError` (`oversized`, `malformed`)."""
    return _decoded(frame, _from_hub)


def new_nonce() -> bytes:
    """Return a random number that is used once."""
    return secrets.token_bytes(NONCE_SIZE)


def new_session() -> str:
    """Return a random name for one life of a hub."""
    return secrets.token_hex(16)


def hub_proof(token: bytes, greet: Greet, session: str, nonce: bytes) -> bytes:
    """Return what only a hub with `token` can answer to `greet`; `nonce` is the hub's own."""
    return _proof(token, b"ddpwatch hub", greet, session, nonce)


def rank_proof(token: bytes, greet: Greet, session: str, nonce: bytes) -> bytes:
    """Return what only who sent `greet`, rank or viewer, and holds `token` can say to `nonce`."""
    return _proof(token, b"ddpwatch rank", greet, session, nonce)


def same(proof: bytes, expected: bytes) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(proof, expected)


def _proof(token: bytes, label: bytes, greet: Greet, session: str, nonce: bytes) -> bytes:
    # Encoded as one msgpack array, the parts cannot run into each other.
    said = _encoder.encode((label, greet.protocol, greet.role, greet.nonce, session, nonce))
    return hmac.new(token, said, hashlib.sha256).digest()


def _decoded(frame: bytes, decoder: msgspec.msgpack.Decoder[T]) -> T:
    if len(frame) > MAX_GREETING:
        raise FrameError("oversized", f"{len(frame)} bytes of greeting, at most {MAX_GREETING}")
    try:
        return decoder.decode(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FrameError("malformed", str(error)) from error
