"""Does the feed fold everything, and make a snapshot only when asked?"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from ddpwatch.board.board import Board
from ddpwatch.board.snapshot import Snapshot, View
from ddpwatch.feed import Intake, SourceFeed
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.findings.telling import Telling
from ddpwatch.headless import watch
from ddpwatch.report.found import Herald
from ddpwatch.wire.messages import Event
from ddpwatch.wire.stamped import Item, Lost, Restart, Tick, Told
from tests.unit.board.builders import FakeRank


class Script:
    """A source that yields given batches, waiting before each until it is released."""

    def __init__(
        self, batches: Sequence[Sequence[Item]], *, error: Exception | None = None
    ) -> None:
        self._batches, self._error = batches, error
        self.release = threading.Semaphore(0)
        self.stopped = threading.Event()

    def batches(self) -> Iterator[Sequence[Item]]:
        for batch in self._batches:
            self.release.acquire()
            if self.stopped.is_set():
                return
            yield batch
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        self.stopped.set()
        self.release.release(len(self._batches) + 1)


def test_snapshot_is_delivered_after_it_was_requested_and_not_otherwise() -> None:
    source = Script([[FakeRank(0, 1).hello()], [Tick(1.0)], [Tick(2.0)]])
    got: list[Snapshot] = []
    arrived = threading.Event()

    def deliver(snapshot: Snapshot) -> None:
        got.append(snapshot)
        arrived.set()

    feed = SourceFeed(source, Intake(Board()))
    feed.start(deliver, lambda error: None)
    source.release.release(2)
    feed.request(View())
    source.release.release()
    assert arrived.wait(5)
    feed.stop()
    assert len(got) == 1
    assert got[0].run is not None


def test_failure_of_the_source_is_handed_over() -> None:
    source = Script([], error=OSError("the file is gone"))
    failures: list[BaseException] = []
    failed = threading.Event()

    def fail(error: BaseException) -> None:
        failures.append(error)
        failed.set()

    feed = SourceFeed(source, Intake(Board()))
    feed.start(lambda snapshot: None, fail)
    assert failed.wait(5)
    feed.stop()
    assert str(failures[0]) == "the file is gone"


def test_stop_ends_the_thread() -> None:
    source = Script([[Tick(1.0)]] * 3)
    feed = SourceFeed(source, Intake(Board()))
    feed.start(lambda snapshot: None, lambda error: None)
    feed.stop()
    assert source.stopped.is_set()


def released(*batches: Sequence[Item]) -> Script:
    source = Script(batches)
    source.release.release(len(batches))
    return source


def test_headless_once_ends_with_the_first_run() -> None:
    rank = FakeRank(0, 1)
    source = released([rank.hello(), rank.bye(1.0)], [Tick(5.0)], [Tick(6.0)])
    said: list[str] = []
    reported: list[str] = []
    watch(
        source,
        Intake(Board()),
        Herald(Diagnosis()),
        say=said.append,
        report=lambda run, now: reported.append(f"{run.run} at {now}"),
        once=True,
    )
    assert said == ["run toy has begun on 1 rank"]
    assert reported == ["r at 5.0"]


def test_headless_reports_what_was_going_on_when_the_source_ended() -> None:
    rank = FakeRank(0, 1)
    source = released([rank.hello()], [Tick(1.0)])
    reported: list[str] = []
    watch(
        source,
        Intake(Board()),
        Herald(Diagnosis()),
        say=lambda line: None,
        report=lambda run, now: reported.append(run.run),
        once=False,
    )
    assert reported == ["r"]


class Notes:
    """A sink that keeps what it gets."""

    def __init__(self) -> None:
        self.items: list[list[Item]] = []

    def take(self, items: Sequence[Item]) -> None:
        self.items.append(list(items))


def blocked() -> list[list[Item]]:
    """A rank that ends with an exception, which is a finding; then time goes on."""
    rank = FakeRank(0, 1)
    event = Event(kind="exception", at=1.0, text="ValueError: no")
    ended = [rank.hello(), rank.say(event, 1.0), rank.bye(1.0, "exception")]
    return [ended, [Tick(9.0)], []]


def test_sinks_get_every_batch_with_what_was_found_in_it() -> None:
    diagnosis, first, second = Diagnosis(), Notes(), Notes()
    board = Board("", diagnosis)
    intake = Intake(board, Telling(diagnosis), [first, second])
    batches = blocked()
    for batch in batches:
        intake.take(batch)
    assert first.items == second.items
    assert [items[: len(batch)] for items, batch in zip(first.items, batches, strict=True)] == (
        batches
    )
    told = [item for items in first.items[:2] for item in items if isinstance(item, Told)]
    assert told
    learning = Board("", Diagnosis(looks=False))
    for items in first.items:
        learning.fold(items)
    (run,) = board.runs.values()
    assert learning.findings(learning.runs["r"]) == board.findings(run) != ()


def test_what_was_found_is_told_once() -> None:
    diagnosis, notes = Diagnosis(), Notes()
    intake = Intake(Board("", diagnosis), Telling(diagnosis), [notes])
    for batch in (*blocked(), [Tick(20.0)], [Tick(21.0)]):
        intake.take(batch)
    assert not any(isinstance(item, Told) for items in notes.items[2:] for item in items)


def test_no_run_ends_while_no_hub_answers() -> None:
    rank = FakeRank(0, 1)
    said: list[str] = []
    reported: list[float] = []

    def look_on(*batches: list[Item]) -> None:
        watch(
            released(*batches),
            Intake(Board("tcp://x")),
            Herald(Diagnosis(looks=False)),
            say=said.append,
            report=lambda run, now: reported.append(now),
            once=True,
        )

    start: list[Item] = [Restart(0.0), rank.hello()]
    look_on([Lost(0.0)], start, [Lost(1.0)], [Tick(60.0)], [Tick(70.0)], [*start, Tick(30.0)])
    assert reported == [30.0]
    assert said == [
        "waiting for a hub at tcp://x",
        "looking on through the hub at tcp://x",
        "run toy has begun on 1 rank",
        "waiting for a hub at tcp://x",
        "looking on through the hub at tcp://x",
        "rank 0 is silent",
    ]
