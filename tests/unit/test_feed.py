"""Does the feed fold everything, and make a snapshot only when asked?"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from ddpwatch.board.board import Board
from ddpwatch.board.snapshot import Snapshot, View
from ddpwatch.feed import Intake, SourceFeed
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.headless import watch
from ddpwatch.report.found import Herald
from ddpwatch.wire.stamped import Item, Tick
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
