"""Does every item come out of a frame as it went in, in frames of a size, and garbage never?"""

from __future__ import annotations

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.errors import FrameError
from ddpwatch.wire import viewing
from ddpwatch.wire.codec import decode, encode
from ddpwatch.wire.greeting import Unknown, is_greeting
from ddpwatch.wire.greeting import encode as greeted
from ddpwatch.wire.messages import Envelope, Output
from ddpwatch.wire.stamped import (
    Begun,
    Heard,
    Item,
    Lost,
    Rejected,
    Restart,
    Stamped,
    Tick,
    Told,
)
from ddpwatch.wire.viewing import Part

PLACE = (0, "train", 1, 2, 0)


def stamped(text: str = "x", at: float = 1.0, times: int = 1) -> Stamped:
    body = Output(stream="stdout", text=text, at=0.0)
    raw = encode(Envelope("r", 0, "c", 1, 0, 0.0, body))
    return Stamped(at, decode(raw), raw, times)


ITEMS: list[Item] = [
    Restart(9.0),
    stamped(),
    stamped("y", times=7),
    Rejected(1.0, "malformed", 3),
    Tick(2.0),
    Told(2.0, "r", b"\x01"),
    Begun(3.0, "r", PLACE, is_newest=True),
    Heard(4.0, "r", 1, "c", 5, 6, 0.5, None, None, has_left=True, strides=((PLACE, 4),)),
    Heard(4.0, "r", 1, "c"),
    Lost(5.0),
]


def test_every_item_comes_out_as_it_went_in() -> None:
    (frame,) = viewing.encode(ITEMS)
    assert viewing.decode(frame) == (Part.LIVE, ITEMS)


def test_a_message_without_its_frame_gets_one() -> None:
    (frame,) = viewing.encode([Stamped(1.0, stamped().envelope)])
    assert viewing.decode(frame).items == [stamped()]


def test_a_frame_for_viewers_is_no_greeting() -> None:
    (frame,) = viewing.encode([Tick(1.0)])
    assert not is_greeting(frame)


@given(st.lists(st.integers(0, 400), max_size=40))
def test_frames_are_of_a_size_and_in_order(lengths: list[int]) -> None:
    items: list[Item] = [stamped("x" * length, at=float(at)) for at, length in enumerate(lengths)]
    frames = list(viewing.encode(items, largest=300))
    read = [viewing.decode(frame).items for frame in frames]
    assert [item for batch in read for item in batch] == items
    assert all(len(f) <= 320 or len(b) == 1 for f, b in zip(frames, read, strict=True))


def test_the_last_frame_of_a_snapshot_says_so() -> None:
    frames = viewing.encode([stamped("x" * 200)] * 3, snapshot=True, largest=300)
    parts = [viewing.decode(frame).part for frame in frames]
    assert parts == [Part.SNAPSHOT, Part.SNAPSHOT, Part.SNAPSHOT_END]
    (empty,) = viewing.encode([], snapshot=True)
    assert viewing.decode(empty) == (Part.SNAPSHOT_END, [])
    assert list(viewing.encode([])) == []


def test_a_snapshot_is_encoded_no_sooner_than_it_is_asked_for() -> None:
    asked: list[int] = []

    def items() -> object:
        for number in range(10):
            asked.append(number)
            yield stamped("x" * 200)

    next(viewing.encode(items(), largest=300))
    assert len(asked) <= 4


def test_what_a_rank_said_wrongly_is_turned_away_here_too() -> None:
    (frame,) = viewing.encode([Stamped(1.0, stamped().envelope, b"\x97garbage")])
    assert viewing.decode(frame).items == [Rejected(1.0, "malformed")]


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\x90",
        b"\xff" * 20,
        greeted(Unknown()),
        msgspec.msgpack.encode([9, []]),
        msgspec.msgpack.encode([0, [[99, 1.0]]]),
        msgspec.msgpack.encode([0, [[2, "late"]]]),
        msgspec.msgpack.encode([0, [[6, 1.0, "r", [0, "no stage", 0, 0, 0], False]]]),
        b"\x91" * 100_000,
    ],
)
def test_garbage_is_told_as_such(frame: bytes) -> None:
    with pytest.raises(FrameError) as caught:
        viewing.decode(frame)
    assert caught.value.kind == "malformed"


@given(st.binary(max_size=200))
def test_no_bytes_break_it(frame: bytes) -> None:
    with contextlib.suppress(FrameError):
        viewing.decode(frame)
