"""What can bytes of any kind do to a hub? Be counted."""

from __future__ import annotations

import random
import socket
from collections import Counter

import msgspec
import pytest

from ddpwatch.link import binding
from ddpwatch.wire.greeting import Ack, from_hub
from tests.wire.ears import Dialler, Ear, enveloped, event, rank

UNKNOWN_TAG = msgspec.msgpack.encode(["run", 0, "claim", 1, 0, 0.0, {"t": "gradient", "norm": 0.5}])
KINDS = {"malformed", "unknown", "multipart", "unauthenticated", "oversized", "impostor"}


def test_each_kind_is_counted_and_the_connection_goes_on() -> None:
    with Ear() as ear, Dialler(ear.address) as dialler:
        dialler.greet()
        dialler.send(b"\xc1")
        dialler.send(enveloped(event("cut"))[:-1])
        dialler.send(UNKNOWN_TAG)
        dialler.send(b"two", b"parts")
        dialler.send(b"")
        dialler.send(b"\x80" * 5000)
        dialler.send(enveloped(event("whole"), journal=1))
        ear.wait(lambda: "whole" in ear.said)
        assert from_hub(dialler.receive()) == Ack(upto=1)
        assert ear.rejected == [
            "malformed",
            "malformed",
            "unknown",
            "multipart",
            "malformed",
            "oversized",
        ]


def test_a_frame_beyond_the_bound_ends_its_connection_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binding, "MAX_FRAME", 10_000)
    with Ear() as ear, Dialler(ear.address) as dialler:
        dialler.greet()
        dialler.send(enveloped(event("large", text="x" * 12_000)))
        while not dialler.connection.is_lost:
            dialler.connection.wait(1.0)
        publisher = rank(ear.address)
        publisher.keep(event("small"))
        ear.wait(lambda: "small" in ear.said)
        publisher.close("finished")
        assert "large" not in ear.said


@pytest.mark.parametrize(
    "opening",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500,
        b"\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL" + b"\0" * 48 + b"\x06" + b"\xff" * 9,
        b"\0" * 5000,
        b"",
    ],
)
def test_what_does_not_speak_zeromq_disturbs_nobody(opening: bytes) -> None:
    with Ear() as ear:
        host, _, port = ear.address.removeprefix("tcp://").rpartition(":")
        with socket.create_connection((host, int(port))) as junk:
            junk.sendall(opening)
            publisher = rank(ear.address)
            publisher.keep(event("heard"))
            ear.wait(lambda: "heard" in ear.said)
            publisher.close("finished")
        assert ear.rejected == []


def test_a_flood_from_a_stranger_does_not_silence_a_rank() -> None:
    with Ear() as ear, Dialler(ear.address) as stranger:
        publisher = rank(ear.address)
        for number in range(3000):
            stranger.send(enveloped(event("forged"), seq=number))
            if number % 100 == 0:
                publisher.keep(event(f"real{number}"))
        publisher.close("finished")
        ear.wait(lambda: "Bye" in ear.said and len(ear.rejected) == 3000)
        assert ear.said == [*[f"real{number}" for number in range(0, 3000, 100)], "Bye"]


def damaged(source: random.Random, frames: list[bytes]) -> list[bytes]:
    """One message of one to three parts: random bytes, or a frame with a few bytes changed."""
    if source.random() < 0.5:
        return [source.randbytes(source.randrange(200)) for _ in range(source.choice((1, 1, 1, 3)))]
    frame = bytearray(source.choice(frames))
    for _ in range(source.randrange(1, 5)):
        frame[source.randrange(len(frame))] = source.randrange(256)
    return [bytes(frame)]


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_a_hundred_thousand_frames_of_garbage() -> None:
    source = random.Random(7)
    whole = [enveloped(event(kind), seq=seq) for seq, kind in enumerate("abc", start=1)]
    count = 100_000
    with Ear() as ear, Dialler(ear.address) as trusted, Dialler(ear.address) as stranger:
        trusted.greet()
        trusted.send(enveloped(event("begun")))
        for number in range(count):
            (trusted if number % 2 else stranger).send(*damaged(source, whole))
        publisher = rank(ear.address)
        publisher.keep(event("still heard"))
        ear.wait(lambda: "still heard" in ear.said)
        publisher.close("finished")
        stamped = len(ear.envelopes) - len(ear.pulses) - 3
        # What claims to be a greeting is answered, and counted only when it makes no sense.
        assert count * 0.95 < len(ear.rejected) + stamped <= count
        assert set(Counter(ear.rejected)) <= KINDS | {"refused"}
