"""Whom does a rank take for its hub?"""

from __future__ import annotations

import pytest

from ddpwatch.link.introduction import Introduction, Verdict
from ddpwatch.link.peers import Peers
from ddpwatch.wire import greeting
from ddpwatch.wire.greeting import Ack, Greeting, Proof, Refused, Unknown, Welcome

TOKEN = b"t" * 32
SESSION = "5" * 32


def answer_of(token: bytes, introduction: Introduction) -> bytes:
    reply = Peers(token, SESSION).greeted(b"a", greeting.encode(introduction.greet), 0.0).reply
    assert reply is not None
    return greeting.encode(reply)


def test_a_hub_with_the_token_is_the_hub_and_is_shown_a_proof() -> None:
    introduction = Introduction(TOKEN)
    assert introduction.judge(answer_of(TOKEN, introduction)) is Verdict.HUB
    assert introduction.session == SESSION
    assert isinstance(introduction.reply, Proof)


def test_a_hub_with_another_token_is_told_and_shown_nothing() -> None:
    introduction = Introduction(TOKEN)
    assert introduction.judge(answer_of(b"u" * 32, introduction)) is Verdict.OTHER_TOKEN
    assert isinstance(introduction.reply, Refused)
    assert introduction.session == ""


def test_an_answer_to_another_greeting_does_not_count() -> None:
    overheard = answer_of(TOKEN, Introduction(TOKEN))
    assert Introduction(TOKEN).judge(overheard) is Verdict.OTHER_TOKEN


def test_a_changed_session_or_nonce_does_not_count() -> None:
    introduction = Introduction(TOKEN)
    welcome = greeting.from_hub(answer_of(TOKEN, introduction))
    assert isinstance(welcome, Welcome)
    for change in ({"session": "6" * 32}, {"nonce": b"n" * 32}, {"proof": b"p" * 32}):
        fields = {name: getattr(welcome, name) for name in Welcome.__struct_fields__}
        forged = Welcome(**{**fields, **change})
        assert introduction.judge(greeting.encode(forged)) is Verdict.OTHER_TOKEN


def test_a_refusal_is_passed_on_with_its_reason() -> None:
    introduction = Introduction(TOKEN)
    said = greeting.encode(Refused(reason="protocol", text="hub speaks 2"))
    assert introduction.judge(said) is Verdict.REFUSED
    assert introduction.reason == "protocol: hub speaks 2"
    assert introduction.reply is None


@pytest.mark.parametrize("said", [Ack(upto=1), Unknown(), None])
def test_anything_else_is_a_stranger_who_gets_no_answer(said: Greeting | None) -> None:
    introduction = Introduction(TOKEN)
    frame = greeting.encode(said) if said else b"HTTP/1.1 400"
    assert introduction.judge(frame) is Verdict.STRANGER
    assert introduction.reply is None
