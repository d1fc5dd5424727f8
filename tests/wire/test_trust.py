"""What does a stranger learn from a rank, or get into a hub? Nothing, and nothing unseen."""

from __future__ import annotations

import logging

import msgspec
import pytest

from ddpwatch.link import seeker
from ddpwatch.wire import greeting
from ddpwatch.wire.greeting import Ack, Greet, Proof, Refused, Unknown, Welcome, new_nonce
from ddpwatch.wire.messages import PROTOCOL, Hello
from tests.wire.ears import TOKEN, Dialler, Ear, FakeHub, enveloped, event, rank

SECRET = Hello(name="secret-project", world_size=1, node="secret-node", pid=1, started=0.0)
OTHER = b"another user's token, 32 bytes.."


def assert_only_greetings(fake: FakeHub) -> None:
    """Every frame is one of the three greetings of a rank, with nothing of its content in it."""
    assert fake.frames
    for frame in fake.frames:
        assert isinstance(greeting.from_rank(frame), Greet | Refused)
        assert b"secret" not in frame
        assert TOKEN not in frame


def forged(greet: Greet) -> list[greeting.Greeting]:
    welcome = {"protocol": PROTOCOL, "session": "5" * 32, "nonce": new_nonce()}
    by_other = greeting.hub_proof(OTHER, greet, "5" * 32, welcome["nonce"])
    return [
        Welcome(**welcome, proof=b"p" * 32),
        Welcome(**welcome, proof=by_other),
        Unknown(),
        Ack(upto=5),
    ]


@pytest.mark.parametrize("which", range(4))
def test_a_fake_hub_learns_nothing(which: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeker, "SHUNNED_FOR", 0.05)
    with FakeHub() as fake:
        publisher = rank(fake.address)
        publisher.keep(SECRET)
        publisher.latest("slot", SECRET)
        publisher.queue(SECRET)
        for _ in range(3):
            identity = fake.receive()
            said = greeting.from_rank(fake.frames[-1])
            if isinstance(said, Greet):
                answer = greeting.encode(forged(said)[which])
                fake.socket.send_multipart([identity, answer])
        publisher.close("finished")
        fake.receive_for(0.1)
        assert_only_greetings(fake)


def test_whoever_takes_the_port_of_a_hub_that_is_gone_learns_nothing() -> None:
    with Ear() as ear:
        address = ear.address
        publisher = rank(address)
        publisher.keep(SECRET)
        ear.wait(lambda: "Hello" in ear.said)
    with FakeHub(address) as fake:
        for number in range(100):
            publisher.latest(number, SECRET)
            publisher.keep(SECRET)
        fake.receive()
        publisher.close("finished", timeout=0.2)
        fake.receive_for(0.1)
        assert_only_greetings(fake)


def test_a_rank_with_another_token_is_counted_and_told(caplog: pytest.LogCaptureFixture) -> None:
    with Ear() as ear, caplog.at_level(logging.WARNING, "ddpwatch"):
        publisher = rank(ear.address, token=lambda: OTHER)
        publisher.keep(SECRET)
        ear.wait(lambda: ear.rejected)
        publisher.close("finished")
        assert ear.rejected == ["wrong_token"]
        assert ear.said == []
    assert "DDPWATCH_RUNTIME_DIR" in caplog.text
    assert len(caplog.records) == 1


def test_a_rank_finds_a_token_that_was_put_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeker, "SHUNNED_FOR", 0.05)
    held = [OTHER]
    with Ear() as ear:
        publisher = rank(ear.address, token=lambda: held[0])
        publisher.keep(event("kept"))
        ear.wait(lambda: "wrong_token" in ear.rejected)
        held[0] = TOKEN
        ear.wait(lambda: "kept" in ear.said)
        publisher.close("finished")


def test_a_stranger_is_not_heard() -> None:
    with Ear() as ear, Dialler(ear.address) as stranger:
        for seq in range(5):
            stranger.send(enveloped(event("forged"), seq=seq))
        assert greeting.from_hub(stranger.receive()) == Unknown()
        ear.wait(lambda: len(ear.rejected) == 5)
        assert ear.rejected == ["unauthenticated"] * 5
        assert ear.said == []


def test_a_stranger_cannot_prove_what_it_does_not_know() -> None:
    with Ear() as ear, Dialler(ear.address) as stranger:
        stranger.send(greeting.encode(Greet(protocol=PROTOCOL, nonce=new_nonce())))
        welcome = greeting.from_hub(stranger.receive())
        assert isinstance(welcome, Welcome)
        stranger.send(greeting.encode(Proof(proof=welcome.proof)))
        refused = greeting.from_hub(stranger.receive())
        assert isinstance(refused, Refused)
        assert refused.reason == "wrong_token"
        stranger.send(enveloped(event("forged")))
        ear.wait(lambda: len(ear.rejected) == 2)
        assert ear.rejected == ["wrong_token", "unauthenticated"]
        assert ear.said == []


def test_a_rank_of_another_version_is_refused_with_both_numbers(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ddpwatch.link.introduction.PROTOCOL", 7)
    with Ear() as ear, caplog.at_level(logging.WARNING, "ddpwatch"):
        publisher = rank(ear.address)
        publisher.keep(SECRET)
        ear.wait(lambda: ear.rejected)
        publisher.close("finished")
        assert ear.rejected == ["protocol"]
        assert ear.said == []
    assert f"hub speaks {PROTOCOL}, rank speaks 7" in caplog.text


def test_a_rank_cannot_speak_for_another() -> None:
    with Ear() as ear, Dialler(ear.address) as dialler:
        dialler.greet()
        dialler.send(enveloped(event("own"), rank=0, seq=1))
        dialler.send(enveloped(event("forged"), rank=1, seq=2))
        dialler.send(enveloped(event("own again"), rank=0, seq=3))
        ear.wait(lambda: "own again" in ear.said)
        assert ear.said == ["own", "own again"]
        assert ear.rejected == ["impostor"]


def test_a_rank_dials_nobody_beyond_this_machine(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ddpwatch"):
        publisher = rank("tcp://192.0.2.1:7787")
        publisher._thread.join()
        publisher.keep(SECRET)
        publisher.close("finished")
    assert "ssh -N -L 7787:127.0.0.1:7787" in caplog.text
    assert publisher._outbox.is_empty()


def test_a_token_that_cannot_be_had_costs_a_warning(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddpwatch.errors import TokenError

    tries = iter([TokenError("expected a private folder"), TokenError("again")])

    def token() -> bytes:
        for error in tries:
            raise error
        return TOKEN

    with Ear() as ear, caplog.at_level(logging.WARNING, "ddpwatch"):
        publisher = rank(ear.address, token=token)
        publisher.keep(event("kept"))
        ear.wait(lambda: "kept" in ear.said)
        publisher.close("finished")
    assert [record.getMessage() for record in caplog.records] == [
        "ddpwatch cannot greet a hub: expected a private folder"
    ]


def test_frames_on_the_wire_carry_no_token() -> None:
    with Ear() as ear, Dialler(ear.address) as dialler:
        dialler.greet()
        dialler.send(enveloped(SECRET, journal=1))
        assert greeting.from_hub(dialler.receive()) == Ack(upto=1)
        ear.wait(lambda: ear.envelopes)
        raw = [item.raw for item in ear.items if hasattr(item, "raw")]
        assert raw
        assert all(msgspec.msgpack.decode(frame)[0] == "run" for frame in raw)
        assert all(TOKEN not in frame for frame in raw)
