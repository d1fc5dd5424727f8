"""Does a frame carry its message, and can bytes of any other kind do more than be counted?"""

from __future__ import annotations

import math
import threading

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.errors import FrameError
from ddpwatch.wire import codec
from ddpwatch.wire.codec import decode, encode, pack, seal
from ddpwatch.wire.messages import (
    Array,
    Body,
    Bye,
    Declare,
    Envelope,
    Event,
    Hello,
    ListSize,
    MetricState,
    Progress,
    Pulse,
    State,
    StateSpec,
    TrackedMetric,
)

KINDS = {"oversized", "unknown", "malformed"}
TRACKED = TrackedMetric(
    path="val.f1",
    cls="MulticlassF1Score",
    params={"average": "macro", "ignore_index": [0, -1], "weights": None, "nested": {"a": 1.5}},
    labels=("cat", "dog"),
    states=(StateSpec(name="tp", reduction="sum", dtype="int64"),),
)
METRICS = (
    MetricState(metric=0, updates=3, fresh=2, states=(Array("int64", (2,), b"\1" * 16),)),
    MetricState(metric=1, updates=3, fresh=2, leader=0),
    MetricState(metric=2, updates=3, fresh=2, states=(ListSize(4, 512),)),
)
BODIES: list[Body] = [
    Hello(name="digits", world_size=4, node="n0", pid=7, started=1.5, versions={"torch": "2"}),
    Declare(version=2, metrics=(TRACKED,)),
    Progress(stage="train", pass_=0, epoch=1, step=2, steps=None, lr=1e-3),
    State(stage="validate", pass_=3, epoch=1, step=-1, final=True, metrics=METRICS),
    Pulse(hook="on_train_batch_end", since=0.25, stack="File x\n"),
    Event(kind="pass_end", at=2.5, stage="test"),
    Bye(reason="finished"),
]


def enveloped(body: Body) -> Envelope:
    return Envelope("run", 3, "claim", 17, 5, 1.25, body)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: type(body).__name__)
def test_a_message_comes_back_as_it_was(body: Body) -> None:
    assert decode(encode(enveloped(body))) == enveloped(body)


@pytest.mark.parametrize("body", BODIES, ids=lambda body: type(body).__name__)
def test_sealing_packed_bytes_makes_the_same_frame(body: Body) -> None:
    sealed = seal(pack(body), run="run", rank=3, claim="claim", seq=17, journal=5, sent=1.25)
    assert sealed == encode(enveloped(body))


def test_not_a_number_stays_not_a_number() -> None:
    got = decode(encode(enveloped(Progress(stage="train", pass_=0, epoch=0, step=0, lr=math.nan))))
    assert isinstance(got.body, Progress)
    assert got.body.lr is not None
    assert math.isnan(got.body.lr)


def test_fields_of_a_later_version_are_ignored() -> None:
    later = ["run", 3, "claim", 17, 5, 1.25, {"t": "bye", "reason": "x", "mood": "good"}, "more"]
    assert decode(msgspec.msgpack.encode(later)).body == Bye(reason="x")


def test_a_tag_of_a_later_version_is_unknown_not_malformed() -> None:
    later = ["run", 3, "claim", 17, 5, 1.25, {"t": "gradient", "norm": 0.5}]
    assert kind_of(msgspec.msgpack.encode(later)) == "unknown"


def kind_of(frame: bytes) -> str:
    with pytest.raises(FrameError) as caught:
        decode(frame)
    return caught.value.kind


def changed(**fields: object) -> bytes:
    head = {"run": "r", "rank": 0, "claim": "c", "seq": 1, "journal": 0, "sent": 1.0}
    head["body"] = {"t": "bye", "reason": "x"}
    return msgspec.msgpack.encode(list({**head, **fields}.values()))


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xc1",
        changed() + b"\0",
        changed()[:-1],
        changed(rank=-1),
        changed(rank=2**24 + 1),
        changed(rank=True),
        changed(seq=2**63),
        changed(run="x" * 513),
        changed(claim=b"bytes"),
        changed(sent="now"),
        changed(body={"t": "bye"}),
        changed(body={"reason": "x"}),
        changed(body={"t": "bye", "reason": "x" * 513}),
        changed(body={"t": "bye", "reason": "x", "text": "y" * 16_385}),
        changed(body={"t": "state", "stage": "fit", "pass_": 0, "epoch": 0, "step": 0}),
        changed(body=None),
        b"\x97\xa3\xff\xfe\xfd" + changed()[3:],
    ],
)
def test_what_breaks_a_rule_is_malformed(frame: bytes) -> None:
    assert kind_of(frame) == "malformed"


@pytest.mark.parametrize(
    "array", [("object", (1,), b"\0" * 8), ("int64", (3,), b"\0" * 8), ("int64", (-1,), b"")]
)
def test_a_state_with_a_lying_array_is_malformed(array: tuple[object, ...]) -> None:
    metric = {"metric": 0, "updates": 1, "fresh": 1, "states": [["a", *array]]}
    body = {"t": "state", "stage": "train", "pass_": 0, "epoch": 0, "step": 0, "metrics": [metric]}
    assert kind_of(changed(body=body)) == "malformed"


def test_more_than_the_largest_frame_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MAX_FRAME", 100)
    assert kind_of(changed(run="x" * 100)) == "oversized"


HUGE = [
    b"\xdd\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff",
    b"\xc6\xff\xff\xff\xff",
    b"\xdb\xff\xff\xff\xff",
]


@pytest.mark.parametrize("declared", HUGE)
@pytest.mark.parametrize("at", [0, 1])
def test_a_declared_length_takes_no_memory(declared: bytes, at: int) -> None:
    assert kind_of(changed()[:at] + declared) == "malformed"


DEEP = b"\x91" * 200_000
IN_BODY = changed()[: changed().index(b"\x82")]
IN_UNKNOWN_FIELD = IN_BODY + b"\x83\xa1t\xa3bye\xa6reason\xa1x\xa1z" + DEEP + b"\xc0"
IN_PARAMS = (
    IN_BODY
    + b"\x83\xa1t\xa7declare\xa7version\x01\xa7metrics\x91\x83\xa4path\xa1p\xa3cls\xa1c\xa6params"
    + (b"\x81\xa1k" + DEEP + b"\xc0")
)


@pytest.mark.parametrize("frame", [DEEP, IN_BODY + DEEP, IN_UNKNOWN_FIELD, IN_PARAMS])
def test_nesting_ends_in_an_error_on_any_thread(frame: bytes) -> None:
    kinds: list[str] = []
    threads = [threading.Thread(target=lambda: kinds.append(kind_of(frame))) for _ in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    assert kinds == ["malformed", "malformed"]


def kind_if_any(frame: bytes) -> str | None:
    try:
        decode(frame)
    except FrameError as error:
        return error.kind
    return None


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_a_frame_error(frame: bytes) -> None:
    assert kind_if_any(frame) in KINDS | {None}


@given(st.sampled_from(BODIES), st.data())
def test_every_cut_of_a_frame_is_malformed(body: Body, data: st.DataObject) -> None:
    frame = encode(enveloped(body))
    assert kind_of(frame[: data.draw(st.integers(0, len(frame) - 1))]) == "malformed"


@given(
    st.sampled_from(BODIES),
    st.lists(
        st.tuples(
            st.integers(0, 2**16),
            st.sampled_from(
                [
                    *HUGE,
                    b"\xc1",
                    b"\x81\x90\x01",
                    b"\xd7\xff" + b"\xff" * 8,
                    b"\xc7\x0c\xff" + b"\xff" * 12,
                ]
            ),
        ),
        max_size=4,
    ),
    st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=6),
)
def test_damage_of_any_kind_is_a_message_or_a_frame_error(body, inserted, replaced) -> None:
    frame = bytearray(encode(enveloped(body)))
    for at, value in replaced:
        frame[at % len(frame)] = value
    for at, piece in inserted:
        place = at % len(frame)
        frame[place:place] = piece
    assert kind_if_any(bytes(frame)) in KINDS | {None}
