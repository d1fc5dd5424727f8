"""In which order do frames leave, and where does waiting content wait when there is no room?"""

from __future__ import annotations

import logging
import threading

import pytest

from ddpwatch.link import stream as stream_module
from ddpwatch.link.complaints import Complaints
from ddpwatch.link.journal import Journal
from ddpwatch.link.outbox import Outbox
from ddpwatch.link.pulse import Heart
from ddpwatch.link.stream import Stream, Who
from ddpwatch.wire.codec import decode
from ddpwatch.wire.messages import Bye, Declare, Envelope, Event, Progress, Pulse


class Wire:
    """Stands in for a connection that has room for `room` frames."""

    def __init__(self, room: int = 10**9) -> None:
        self.room = room
        self.frames: list[Envelope] = []

    def has_room(self) -> bool:
        return self.room > 0

    def send(self, frame: bytes) -> bool:
        if not self.room:
            return False
        self.room -= 1
        self.frames.append(decode(frame))
        return True

    @property
    def said(self) -> list[str]:
        """What was sent, in a word each, pulses left out."""
        return [word(each.body) for each in self.frames if not isinstance(each.body, Pulse)]


def word(body: object) -> str:
    return body.kind if isinstance(body, Event) else type(body).__name__


class Desk:
    """A stream with all that belongs to it."""

    def __init__(self, journal: Journal | None = None) -> None:
        self.journal = journal or Journal()
        self.outbox = Outbox()
        heart = Heart(threading.get_ident())
        who = Who("run", 3, "claim")
        self.stream = Stream(who, self.journal, self.outbox, heart, Complaints())
        self.now = 0.0

    def flow(self, wire: Wire) -> bool:
        self.now += 0.01
        return self.stream.flow(wire, self.now)


def event(kind: str) -> Event:
    return Event(kind=kind, at=0.0)


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    made.stream.begin("session")
    return made


def test_the_journal_goes_first_then_the_queue_then_the_slots(desk: Desk) -> None:
    desk.outbox.latest("a", event("latest"))
    desk.outbox.queue(event("queued"))
    desk.outbox.keep(event("kept"))
    wire = Wire()
    assert desk.flow(wire)
    assert wire.said == ["kept", "queued", "latest"]
    assert [(each.seq, each.journal) for each in wire.frames[:3]] == [(1, 1), (2, 0), (3, 0)]
    assert (wire.frames[0].run, wire.frames[0].rank, wire.frames[0].claim) == ("run", 3, "claim")


def test_a_pulse_comes_once_a_second_and_none_after_the_last_word(desk: Desk) -> None:
    wire = Wire()
    for _ in range(250):
        desk.flow(wire)
    assert [type(each.body) for each in wire.frames] == [Pulse] * 3
    desk.stream.finish(Bye(reason="finished"))
    desk.stream.finish(Bye(reason="again"))
    for _ in range(250):
        desk.flow(wire)
    assert [type(each.body) for each in wire.frames[3:]] == [Bye]


def test_functions_run_when_sent_and_the_journal_takes_their_result(desk: Desk) -> None:
    desk.outbox.keep(lambda: event("kept"))
    desk.outbox.queue(lambda: event("queued"))
    desk.outbox.latest("a", lambda: event("latest"))
    wire = Wire()
    desk.flow(wire)
    assert wire.said == ["kept", "queued", "latest"]
    assert desk.journal.count == 1


def test_a_function_that_raises_costs_only_itself(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> Event:
        raise ValueError("torn")

    for leave in (desk.outbox.keep, desk.outbox.queue):
        leave(broken)
        leave(event("whole"))
    desk.outbox.latest("a", broken)
    desk.outbox.latest("b", event("whole"))
    wire = Wire()
    with caplog.at_level(logging.WARNING, "ddpwatch"):
        desk.flow(wire)
        desk.flow(wire)
    assert wire.said == ["whole"] * 3
    assert desk.journal.tally.failures == 3
    assert len(caplog.records) == 1
    assert "ValueError: torn" in caplog.text


def test_what_is_no_message_costs_only_itself(desk: Desk) -> None:
    desk.outbox.keep(lambda: Declare(version=0, metrics=(object(),)))
    wire = Wire()
    desk.flow(wire)
    assert wire.said == []
    assert desk.journal.tally.failures == 1


def test_entries_without_room_go_on_where_they_stopped(desk: Desk) -> None:
    for number in range(10):
        desk.outbox.keep(event(str(number)))
    wire = Wire(room=4)
    desk.flow(wire)
    assert desk.stream.is_blocked
    assert desk.stream.has_backlog
    wire.room = 100
    desk.flow(wire)
    assert wire.said == [str(number) for number in range(10)]
    assert [each.journal for each in wire.frames if each.journal] == list(range(1, 11))
    assert [each.seq for each in wire.frames] == list(range(1, len(wire.frames) + 1))


def test_while_there_is_no_room_slots_keep_the_newest_only(desk: Desk) -> None:
    wire = Wire(room=0)
    for number in range(5):
        desk.outbox.latest("a", event(f"a{number}"))
        desk.outbox.latest("b", event(f"b{number}"))
        desk.flow(wire)
    wire.room = 100
    desk.flow(wire)
    assert wire.said == ["a4", "b4"]
    assert desk.journal.tally.dropped == 0


def test_while_there_is_no_room_the_queue_keeps_its_newest_and_counts_the_rest(desk: Desk) -> None:
    wire = Wire(room=0)
    for number in range(100):
        desk.outbox.queue(event(str(number)))
        desk.flow(wire)
    wire.room = 1000
    desk.flow(wire)
    assert wire.said == [str(number) for number in range(36, 100)]
    assert desk.journal.tally.dropped == 36
    assert wire.frames[0].seq == 37


def test_a_queued_message_that_just_missed_its_room_goes_first(desk: Desk) -> None:
    wire = Wire(room=2)
    for number in range(4):
        desk.outbox.queue(event(str(number)))
    desk.flow(wire)
    assert not desk.stream.is_drained
    wire.room = 100
    desk.flow(wire)
    assert wire.said == ["0", "1", "2", "3"]
    assert desk.journal.tally.dropped == 0


def test_a_slot_that_just_missed_its_room_is_made_once(desk: Desk) -> None:
    made: list[str] = []

    def make(kind: str) -> Event:
        made.append(kind)
        return event(kind)

    wire = Wire(room=1)
    desk.outbox.latest("a", lambda: make("a"))
    desk.outbox.latest("b", lambda: make("b"))
    for _ in range(3):
        desk.flow(wire)
    wire.room = 100
    desk.flow(wire)
    assert wire.said == made == ["a", "b"]


def test_nothing_overtakes_a_backlog_of_the_journal(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "ENTRIES_PER_TURN", 2)
    for number in range(5):
        desk.outbox.keep(event(str(number)))
    desk.outbox.latest("a", event("latest"))
    desk.outbox.queue(event("queued"))
    wire = Wire()
    for _ in range(4):
        desk.flow(wire)
    assert wire.said == ["0", "1", "2", "3", "4", "queued", "latest"]


def test_what_explains_a_slot_is_sent_before_it(desk: Desk) -> None:
    """The slot is filled after the journal; taking the slot first keeps it that way round."""

    class Late(Outbox):
        def take_latest(self):
            taken = super().take_latest()
            self.keep(Declare(version=1))
            self.latest("a", event("needs version 1"))
            return taken

    desk.outbox.__class__ = Late
    desk.outbox.latest("a", event("needs version 0"))
    wire = Wire()
    desk.flow(wire)
    assert wire.said == ["Declare", "needs version 0"]


def test_the_last_word_waits_for_everything_else(desk: Desk) -> None:
    wire = Wire(room=0)
    desk.outbox.queue(event("queued"))
    desk.flow(wire)
    assert not desk.stream.is_drained
    wire.room = 100
    desk.flow(wire)
    assert desk.stream.is_drained
    assert not desk.stream.is_settled("session")
    desk.stream.finish(Bye(reason="finished"))
    desk.flow(wire)
    assert wire.said == ["queued", "Bye"]
    assert not desk.stream.is_settled("session")
    desk.journal.acknowledge("session", 1)
    assert desk.stream.is_settled("session")


def test_without_a_hub_the_journal_is_filled_and_nothing_piles_up_beside_it() -> None:
    alone = Desk(Journal(limit=10_000))
    for number in range(1000):
        alone.outbox.keep(event(str(number)))
        alone.stream.collect()
    assert not alone.stream.has_backlog
    assert alone.journal.lost > 900
    alone.stream.begin("session")
    wire = Wire()
    alone.flow(wire)
    assert wire.said == [str(number) for number in range(1000)][-alone.journal.count :]


def test_a_new_session_gets_everything_and_an_old_one_the_rest(desk: Desk) -> None:
    for number in range(3):
        desk.outbox.keep(event(str(number)))
    desk.flow(Wire())
    desk.journal.acknowledge("session", 2)
    for session, expected in (("session", ["2"]), ("another", ["0", "1", "2"])):
        desk.stream.end()
        desk.stream.begin(session)
        wire = Wire()
        desk.flow(wire)
        assert wire.said == expected


def test_a_message_beyond_the_largest_frame_is_given_up_and_counted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "LARGEST_BODY", 200)
    large = Event(kind="large", at=0.0, text="x" * 300)
    desk.outbox.keep(large)
    desk.outbox.latest("a", large)
    desk.outbox.latest("b", Progress(stage="train", pass_=0, epoch=0, step=0))
    wire = Wire()
    desk.flow(wire)
    assert wire.said == ["Progress"]
    assert desk.journal.tally.dropped == 2
    assert desk.journal.count == 0


def test_an_entry_lost_meanwhile_is_skipped() -> None:
    small = Desk(Journal(limit=400))
    small.stream.begin("session")
    wire = Wire(room=0)
    for number in range(10):
        small.outbox.keep(event(str(number)))
        small.flow(wire)
    wire.room = 100
    small.flow(wire)
    assert wire.said == ["8", "9"]
    assert small.journal.lost == 8
