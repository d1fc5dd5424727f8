"""Do all who look on see what the hub sees, whatever others do, and whenever they come?"""

from __future__ import annotations

import re
import time

import pytest

from ddpwatch.errors import HubError, UnsafeAddressError
from ddpwatch.link import audience, backlog, viewer
from ddpwatch.link.viewer import Viewer
from ddpwatch.wire import greeting, viewing
from ddpwatch.wire.codec import encode
from ddpwatch.wire.greeting import Greet, Refused, Taken, new_nonce
from ddpwatch.wire.messages import PROTOCOL, Output
from ddpwatch.wire.stamped import Lost, Restart, Stamped, Tick
from ddpwatch.wire.viewing import Part
from tests.unit.board.builders import FakeRank, counts, multiclass
from tests.unit.board.plain import pictures
from tests.wire.ears import LONG, TOKEN, Dialler, Ear, FakeHub
from tests.wire.onlookers import Onlooker, Station, prove_viewer

OTHER = b"another user's token, 32 bytes.."
SHARDS = (([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2]))


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "RETRY_AFTER", 0.05)


class Wire:
    """A made-up rank on a connection of its own."""

    def __init__(self, address: str, rank: int = 0, world: int = 2) -> None:
        self.dialler = Dialler(address)
        self.dialler.greet()
        self.rank = FakeRank(rank, world)
        self.sent = 0

    def say(self, *stamped: Stamped) -> None:
        for each in stamped:
            self.dialler.send(encode(each.envelope))
            self.sent += 1

    def begin(self) -> None:
        self.say(self.rank.hello(time.time()), self.rank.declare(multiclass("f1")))

    def validate(self, epoch: int, steps: int = 3) -> None:
        seen = counts(*SHARDS[self.rank.rank % 2])
        place = {"epoch": epoch, "pass_": epoch, "at": time.time()}
        self.say(*(self.rank.state(step, seen, **place) for step in range(steps)))
        self.say(self.rank.state(steps, seen, final=True, **place))

    def print(self, lines: int, width: int = 10) -> None:
        for number in range(lines):
            line = Output(stream="stdout", text=f"{number} ".ljust(width, "."), at=0.0)
            self.say(self.rank.say(line, time.time(), journal=False))


def same(station: Station, *onlookers: Onlooker) -> None:
    """Wait until all of them see what the hub sees, to the last tick."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        with station._came:
            wanted, now = pictures(station.board), station.board.now
        for each in onlookers:
            each.wait(lambda each=each, now=now: each.board.now >= now)
        alike = []
        for each in onlookers:
            with each._came:
                alike.append(each.board.now == now and pictures(each.board) == wanted)
        if all(alike):
            return
    assert [pictures(each.board) for each in onlookers] == [wanted] * len(onlookers)


def refusal(source: Viewer) -> str:
    """What a viewer says that cannot look on."""
    with pytest.raises(HubError) as caught:
        for _ in source.batches():
            pass
    return str(caught.value)


def test_early_and_late_viewers_see_what_the_hub_sees() -> None:
    with Station() as hub, Onlooker(hub.address) as early:
        early.attached()
        ranks = [Wire(hub.address, rank) for rank in range(2)]
        for rank in ranks:
            rank.begin()
            rank.validate(0)
            rank.print(20)
        hub.wait(lambda: hub.said == sum(rank.sent for rank in ranks))
        with Onlooker(hub.address) as late:
            late.attached()
            for rank in ranks:
                rank.validate(1)
            hub.wait(lambda: hub.said == sum(rank.sent for rank in ranks))
            same(hub, early, late)
            assert hub.hub.viewers == 2
            assert hub.rejected == early.rejected == late.rejected == []


def test_one_that_never_reads_holds_up_neither_hub_nor_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backlog, "BYTES_WAITING", 100_000)
    reads = {"largest": viewing.LARGEST_FRAME}
    with (
        Station() as hub,
        Dialler(hub.address, **reads) as deaf,
        Onlooker(hub.address) as quick,
    ):
        quick.attached()
        prove_viewer(deaf)
        hub.wait(lambda: hub.hub.viewers == 2)
        rank = Wire(hub.address, world=1)
        rank.begin()
        for _ in range(25):
            rank.print(100, width=4000)
            # A batch of its own each, so that there are more frames than the window takes.
            hub.wait(lambda: hub.said == rank.sent)
            time.sleep(audience.FLUSH_EVERY)
        quick.wait(lambda: quick.said == rank.sent)
        assert len(quick.of(Restart)) == 1
        stopped = next(v for v in hub.hub._audience._viewers.values() if v.is_behind)
        assert stopped.bytes_underway <= backlog.BYTES_AHEAD
        assert not stopped.waiting

        # It wakes, takes in what was under way, and gets a second snapshot.
        taken = begun = 0
        while begun < 2:
            part, items = viewing.decode(deaf.receive())
            taken += 1
            begun += part is Part.SNAPSHOT_END
            if begun == 2:
                assert any(isinstance(item, Tick) for item in items)
            deaf.send(greeting.encode(Taken(frames=taken)))
        same(hub, quick)


def test_a_hub_that_comes_back_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "TICK", 0.05)
    with Station() as hub:
        address = hub.address
        rank = Wire(address, world=1)
        rank.begin()
        hub.wait(lambda: hub.said == 2)
        looking = Onlooker(address)
        looking.__enter__()
        try:
            looking.attached()
            looking.wait(lambda: looking.board.runs and looking.board.is_live)
        except BaseException:
            looking.__exit__()
            raise
    try:
        looking.lost(2)
        before = looking.board.now
        # Time goes on, so that one sees for how long nothing has come; what was known stays.
        looking.wait(lambda: looking.board.now > before + 0.1)
        assert not looking.board.is_live
        assert looking.board.runs
        with Station(address) as hub:
            looking.attached(2)
            looking.wait(lambda: looking.board.is_live)
            assert not looking.board.runs
            same(hub, looking)
    finally:
        looking.__exit__()


def test_it_waits_for_a_hub_that_is_not_there_yet() -> None:
    with Ear() as ear:
        address = ear.address
    with Onlooker(address) as looking:
        looking.lost()
        assert looking.items == [Lost(0.0)]
        with Station(address):
            looking.attached()
        assert looking.error is None


def test_a_viewer_cannot_say_what_a_rank_says_nor_the_other_way_round() -> None:
    with Station() as hub, Dialler(hub.address) as false, Dialler(hub.address) as rank:
        prove_viewer(false)
        false.send(encode(FakeRank(0).hello().envelope))
        hub.wait(lambda: hub.rejected == ["role"])
        rank.greet()
        rank.send(greeting.encode(Taken(frames=1)))
        hub.wait(lambda: hub.rejected == ["role", "role"])
        assert not hub.board.runs


def test_garbage_of_a_viewer_is_counted_and_changes_nothing() -> None:
    with Station() as hub, Dialler(hub.address) as mad, Onlooker(hub.address) as looking:
        looking.attached()
        prove_viewer(mad)
        mad.receive()
        mad.send(b"\x81garbage")
        mad.send(b"\xffgarbage")
        mad.send(b"one", b"two")
        mad.send(greeting.encode(Taken(frames=2**50)))
        hub.wait(lambda: len(hub.rejected) == 4)
        assert sorted(hub.rejected) == ["malformed", "malformed", "multipart", "role"]
        same(hub, looking)


def test_a_hub_with_another_token_is_told_from_ones_own() -> None:
    with Station(token=OTHER) as hub, Viewer(hub.address, TOKEN) as source:
        assert re.search(r"with this user's token.*DDPWATCH_RUNTIME_DIR", refusal(source))
        hub.wait(lambda: "wrong_token" in hub.rejected)


def test_a_hub_of_another_version_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ddpwatch.link.introduction.PROTOCOL", PROTOCOL + 1)
    with Station() as hub, Viewer(hub.address, TOKEN) as source:
        assert re.search(r"viewer speaks 2.*same version", refusal(source))


def test_a_hub_that_serves_no_viewers_says_so() -> None:
    with Ear() as ear, Viewer(ear.address, TOKEN) as source:
        assert re.search("the hub serves ranks", refusal(source))


def test_what_answers_and_is_no_hub_is_told_and_learns_nothing() -> None:
    with FakeHub() as fake, Viewer(fake.address, TOKEN) as source:
        batches = source.batches()
        while not fake.socket.poll(0):
            next(batches)
        identity = fake.receive()
        assert isinstance(greeting.from_rank(fake.frames[-1]), Greet)
        fake.socket.send_multipart([identity, b"hello?"])
        with pytest.raises(HubError, match="expected a ddpwatch hub"):
            for _ in batches:
                pass
        fake.receive_for(0.1)
        assert all(isinstance(greeting.from_rank(f), Greet | Refused) for f in fake.frames)
        assert not any(TOKEN in frame for frame in fake.frames)


def test_a_false_proof_is_not_believed() -> None:
    with FakeHub() as fake, Viewer(fake.address, TOKEN) as source:
        batches = source.batches()
        while not fake.socket.poll(0):
            next(batches)
        identity = fake.receive()
        welcome = greeting.Welcome(
            protocol=PROTOCOL, session="5" * 32, nonce=new_nonce(), proof=b"p" * 32
        )
        fake.socket.send_multipart([identity, greeting.encode(welcome)])
        with pytest.raises(HubError, match="with another"):
            for _ in batches:
                pass


def test_who_was_forgotten_greets_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "ANSWER_WITHIN", 2.0)  # where it has said all that there was
    with Station() as hub, Onlooker(hub.address) as looking:
        looking.attached()
        identity = next(iter(hub.hub._audience._viewers))
        hub.hub._peers.proven.clear()
        looking.attached(2)
        assert identity not in hub.hub._audience._viewers
        assert looking.error is None


def test_the_network_is_not_trusted() -> None:
    with pytest.raises(UnsafeAddressError), Viewer("tcp://10.0.0.1:7787", TOKEN):
        pass
