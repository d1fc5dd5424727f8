"""Does a proof say exactly what it should, and can it be used for anything else?"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.errors import FrameError
from ddpwatch.wire import greeting
from ddpwatch.wire.codec import encode as encode_envelope
from ddpwatch.wire.greeting import (
    Ack,
    Greet,
    Greeting,
    Proof,
    Refused,
    Unknown,
    Welcome,
    from_hub,
    from_rank,
    hub_proof,
    is_greeting,
    new_nonce,
    new_session,
    rank_proof,
    same,
)
from ddpwatch.wire.messages import PROTOCOL, Bye, Envelope

TOKEN = b"t" * 32
GREET = Greet(protocol=PROTOCOL, nonce=b"r" * 32)
SESSION = "5" * 32
NONCE = b"h" * 32

TO_HUB = [GREET, Proof(proof=b"p" * 32), Refused(reason="wrong_token")]
TO_RANK = [
    Welcome(protocol=PROTOCOL, session=SESSION, nonce=NONCE, proof=b"p" * 32),
    Ack(upto=7),
    Unknown(),
    Refused(reason="protocol", text="no", protocol=3),
]


@pytest.mark.parametrize("said", TO_HUB)
def test_what_a_rank_says_comes_back_as_it_was(said: Greeting) -> None:
    assert from_rank(greeting.encode(said)) == said


@pytest.mark.parametrize("said", TO_RANK)
def test_what_a_hub_says_comes_back_as_it_was(said: Greeting) -> None:
    assert from_hub(greeting.encode(said)) == said


@pytest.mark.parametrize("said", TO_RANK[:3])
def test_a_hub_does_not_take_a_hubs_words(said: Greeting) -> None:
    with pytest.raises(FrameError, match="malformed"):
        from_rank(greeting.encode(said))


@pytest.mark.parametrize("said", TO_HUB[:2])
def test_a_rank_does_not_take_a_ranks_words(said: Greeting) -> None:
    with pytest.raises(FrameError, match="malformed"):
        from_hub(greeting.encode(said))


@pytest.mark.parametrize("said", TO_HUB + TO_RANK)
def test_the_first_byte_tells_a_greeting_from_an_envelope(said: Greeting) -> None:
    envelope = encode_envelope(Envelope("r", 0, "c", 1, 0, 1.0, Bye(reason="finished")))
    assert is_greeting(greeting.encode(said))
    assert not is_greeting(envelope)
    assert len(greeting.encode(said)) < greeting.MAX_GREETING


def test_the_two_directions_prove_different_things() -> None:
    ours, theirs = (each(TOKEN, GREET, SESSION, NONCE) for each in (hub_proof, rank_proof))
    assert not same(ours, theirs)


@pytest.mark.parametrize("prove", [hub_proof, rank_proof])
@pytest.mark.parametrize(
    "other",
    [
        (b"u" * 32, GREET, SESSION, NONCE),
        (TOKEN, Greet(protocol=PROTOCOL, nonce=b"s" * 32), SESSION, NONCE),
        (TOKEN, Greet(protocol=PROTOCOL + 1, nonce=GREET.nonce), SESSION, NONCE),
        (TOKEN, Greet(protocol=PROTOCOL, nonce=GREET.nonce, role="viewer"), SESSION, NONCE),
        (TOKEN, GREET, "6" * 32, NONCE),
        (TOKEN, GREET, SESSION, b"i" * 32),
    ],
)
def test_a_proof_holds_for_nothing_but_what_was_said(prove, other) -> None:
    assert same(prove(TOKEN, GREET, SESSION, NONCE), prove(TOKEN, GREET, SESSION, NONCE))
    assert not same(prove(TOKEN, GREET, SESSION, NONCE), prove(*other))


def test_nonces_and_sessions_never_repeat() -> None:
    assert len({new_nonce() for _ in range(1000)}) == 1000
    assert len({new_session() for _ in range(1000)}) == 1000


@pytest.mark.parametrize(
    "fields",
    [
        {"t": "greet", "protocol": 1, "nonce": b"short"},
        {"t": "greet", "protocol": -1, "nonce": b"r" * 32},
        {"t": "greet", "protocol": 1, "nonce": b"r" * 32, "role": "x" * 600},
        {"t": "greet", "protocol": 1},
        {"t": "proof", "proof": b"p" * 31},
        {"t": "what"},
        {},
    ],
)
def test_fields_are_bounded(fields: dict[str, object]) -> None:
    with pytest.raises(FrameError, match="malformed"):
        from_rank(msgspec.msgpack.encode(fields))


def test_a_long_greeting_is_refused_unread() -> None:
    with pytest.raises(FrameError, match="oversized"):
        from_rank(b"\x81" + b"x" * greeting.MAX_GREETING)


def test_fields_of_a_later_version_are_ignored() -> None:
    later = {"t": "ack", "upto": 3, "mood": "good"}
    assert from_hub(msgspec.msgpack.encode(later)) == Ack(upto=3)


@pytest.mark.parametrize("decode", [from_rank, from_hub])
@given(frame=st.binary(max_size=200))
def test_any_bytes_are_a_greeting_or_a_frame_error(decode, frame: bytes) -> None:
    try:
        assert isinstance(decode(frame), Greeting)
    except FrameError as error:
        assert error.kind == "malformed"
