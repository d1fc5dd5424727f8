"""Does every viewer get all that it can take, in order, and nobody more than that?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest

from ddpwatch.link import backlog
from ddpwatch.link.audience import FLUSH_EVERY, Audience
from ddpwatch.link.backlog import BYTES_AHEAD, FRAMES_AHEAD
from ddpwatch.wire import viewing
from ddpwatch.wire.messages import Output
from ddpwatch.wire.stamped import Item, Rejected, Restart, Stamped, Tick
from ddpwatch.wire.viewing import Part
from tests.unit.board.builders import FakeRank


class Memory:
    """Remembers everything."""

    def __init__(self) -> None:
        self.known: list[Item] = []

    def take(self, items: Iterable[Item]) -> None:
        self.known += items

    def items(self) -> list[Item]:
        return [Restart(0.0), *self.known]


class Hall:
    """An audience, what was sent to whom, and a clock that goes on with every batch."""

    def __init__(self) -> None:
        self.sent: defaultdict[bytes, list[bytes]] = defaultdict(list)
        self.full: set[bytes] = set()
        self.now = 0.0
        self.memory = Memory()
        self.audience = Audience(self.memory, self._send)

    def _send(self, identity: bytes, frame: bytes) -> bool:
        if identity in self.full:
            return False
        self.sent[identity].append(frame)
        return True

    def take(self, *items: Item, after: float = 2 * FLUSH_EVERY) -> None:
        self.now += after
        self.audience.take(items, self.now)

    def acknowledge(self, identity: bytes) -> None:
        assert self.audience.acknowledge(identity, len(self.sent[identity]))

    def seen(self, identity: bytes) -> list[Item]:
        """What a viewer knows that has read all frames: since the newest snapshot."""
        items: list[Item] = []
        for frame in self.sent[identity]:
            read = viewing.decode(frame).items
            items = [*read] if Restart(0.0) in read else [*items, *read]
        return items[1:]

    def snapshots(self, identity: bytes) -> int:
        parts = [viewing.decode(frame).part for frame in self.sent[identity]]
        return parts.count(Part.SNAPSHOT_END)


def big(at: float) -> Stamped:
    text = "x" * 16_000
    return FakeRank(0, 1).say(Output(stream="stdout", text=text, at=at), at)


def test_first_what_is_known_then_what_comes() -> None:
    hall = Hall()
    hall.take(Tick(1.0))
    hall.audience.welcome(b"a")
    hall.take(Tick(2.0))
    assert [viewing.decode(frame).part for frame in hall.sent[b"a"]] == [
        Part.SNAPSHOT_END,
        Part.LIVE,
    ]
    assert hall.seen(b"a") == [Tick(1.0), Tick(2.0)]


def test_batches_in_quick_succession_share_a_frame_and_nothing_is_told_twice() -> None:
    hall = Hall()
    hall.audience.welcome(b"a")
    hall.take(Tick(1.0))
    hall.take(Tick(2.0), after=0.001)
    hall.audience.welcome(b"b")
    hall.take(Tick(3.0))
    assert len(hall.sent[b"a"]) == 4
    assert hall.seen(b"a") == hall.seen(b"b") == [Tick(1.0), Tick(2.0), Tick(3.0)]


def test_what_is_live_is_encoded_once_for_all() -> None:
    hall = Hall()
    for number in range(5):
        hall.audience.welcome(bytes([number]))
    hall.take(Tick(1.0))
    assert len({id(frames[-1]) for frames in hall.sent.values()}) == 1


def test_the_hub_runs_ahead_of_a_viewer_so_far_and_no_farther() -> None:
    hall = Hall()
    hall.audience.welcome(b"a")
    for number in range(100):
        hall.take(Tick(float(number)))
    assert len(hall.sent[b"a"]) == FRAMES_AHEAD
    hall.acknowledge(b"a")
    assert len(hall.sent[b"a"]) == 2 * FRAMES_AHEAD
    for _ in range(100):
        hall.acknowledge(b"a")
    assert hall.seen(b"a") == [Tick(float(number)) for number in range(100)]


def test_large_frames_are_counted_by_their_bytes() -> None:
    hall = Hall()
    hall.take(*(big(float(at)) for at in range(1000)))
    hall.audience.welcome(b"a")
    assert sum(map(len, hall.sent[b"a"])) <= BYTES_AHEAD
    for _ in range(10):
        hall.acknowledge(b"a")
    assert len(hall.seen(b"a")) == 1000


def test_who_falls_behind_misses_something_and_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "BYTES_WAITING", 100)
    hall = Hall()
    for name in (b"quick", b"slow"):
        hall.audience.welcome(name)
    for number in range(500):
        hall.take(Tick(float(number)))
        hall.acknowledge(b"quick")
    assert len(hall.sent[b"slow"]) == FRAMES_AHEAD
    assert len(hall.sent[b"quick"]) == 501
    viewer = hall.audience._viewers[b"slow"]
    assert viewer.is_behind
    assert not viewer.waiting
    for _ in range(100):
        hall.acknowledge(b"slow")
    assert len(hall.seen(b"slow")) == 500
    assert hall.snapshots(b"slow") == 2
    assert hall.snapshots(b"quick") == 1
    hall.take(Tick(999.0))
    assert hall.seen(b"slow") == hall.seen(b"quick")


def test_a_snapshot_is_not_given_up_for_what_comes_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backlog, "BYTES_WAITING", 100_000)
    hall = Hall()
    hall.take(*(big(float(at)) for at in range(1000)))
    hall.audience.welcome(b"a")
    for number in range(20):
        hall.take(big(2000.0 + number))
    assert hall.snapshots(b"a") == 0
    for _ in range(30):
        hall.acknowledge(b"a")
    assert len(hall.seen(b"a")) == 1020
    assert hall.snapshots(b"a") == 2


def test_where_there_is_no_room_the_frame_is_sent_later() -> None:
    hall = Hall()
    hall.full.add(b"a")
    hall.audience.welcome(b"a")
    hall.take(Tick(1.0))
    assert not hall.sent
    hall.full.clear()
    hall.take(Tick(2.0))
    assert hall.seen(b"a") == [Tick(1.0), Tick(2.0)]


def test_who_takes_in_what_was_never_sent_is_not_believed() -> None:
    hall = Hall()
    hall.audience.welcome(b"a")
    hall.take(Tick(1.0))
    assert not hall.audience.acknowledge(b"a", 3)
    assert not hall.audience.acknowledge(b"b", 1)
    assert hall.audience.acknowledge(b"a", 2)
    assert not hall.audience.acknowledge(b"a", 1)


def test_who_left_costs_nothing() -> None:
    hall = Hall()
    hall.audience.welcome(b"a")
    hall.take(Tick(1.0), after=0.0)
    hall.audience.dismiss([])
    assert len(hall.audience) == 0
    hall.take(Rejected(2.0, "x"))
    hall.audience.welcome(b"b")
    hall.take(Tick(3.0))
    assert hall.seen(b"b") == [Tick(1.0), Rejected(2.0, "x"), Tick(3.0)]
