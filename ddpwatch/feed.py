"""How do a source, a board and a screen meet? In one thread, which alone touches the first two.

Whoever else wants to know what a source yields, viewers or a file, gets it here, findings included.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ddpwatch.board.board import Board
from ddpwatch.board.snapshot import Snapshot, View
from ddpwatch.errors import DDPWatchError
from ddpwatch.findings.telling import Telling
from ddpwatch.wire.stamped import Item, Source, Told

log = logging.getLogger("ddpwatch")


class Stoppable(Source, Protocol):
    """A source whose `batches` ends soon after `stop` is called from any thread."""

    def stop(self) -> None:
        """End `batches`."""
        ...


class Sink(Protocol):
    """Gets all that a source yields, each batch followed by what was found in it."""

    def take(self, items: Sequence[Item]) -> None:
        """Take in a batch, in receive order; also an empty one."""
        ...


class Intake:
    """Folds batches into a board, lets the diagnosis look, and hands both on."""

    def __init__(
        self, board: Board, telling: Telling | None = None, sinks: Sequence[Sink] = ()
    ) -> None:
        """`telling` is asked for what was found; without it, or without sinks, nobody is."""
        self.board = board
        self._telling = telling
        self._sinks = sinks
        self._concluded: set[str] = set()

    def take(self, batch: Sequence[Item]) -> None:
        """Take in one batch; what it proves goes with it, so that nobody sees the one alone."""
        self.board.fold(batch)
        if self._sinks:
            items = (*batch, *self._told())
            for sink in self._sinks:
                sink.take(items)

    def _told(self) -> Iterator[Told]:
        """Yield what is news; of a run that has ended all that there is, and then no more."""
        if self._telling is None:
            return
        now = self.board.now
        for run in self.board.runs.values():
            if not run.has_ended(now):
                self._concluded.discard(run.run)
                yield from self._telling.news([run], now)
            elif run.run not in self._concluded:
                self._concluded.add(run.run)
                yield from self._telling.news([run], now, at_once=True)


class SourceFeed:
    """Folds all that a source yields, and makes a snapshot only when one was asked for.

    A screen that is slow therefore gets fewer snapshots, never a queue of stale ones.
    """

    def __init__(
        self,
        source: Stoppable,
        intake: Intake,
        dress: Callable[[Snapshot], Snapshot] | None = None,
    ) -> None:
        """The feed owns both, and the intake's board, from `start` to `stop`.

        `dress` adds to a snapshot what the board cannot know.
        """
        self._dress = dress or (lambda snapshot: snapshot)
        self._source = source
        self._intake = intake
        self._wanted: View | None = None
        self._thread: threading.Thread | None = None

    def start(
        self,
        deliver: Callable[[Snapshot], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """Begin; both functions are called from the feed's thread."""
        self._thread = threading.Thread(
            target=self._run, args=(deliver, failed), name="ddpwatch-feed", daemon=True
        )
        self._thread.start()

    def request(self, view: View) -> None:
        """Ask for a snapshot; a newer request replaces one that is still open."""
        self._wanted = view

    def stop(self) -> None:
        """End the source and wait for the thread."""
        self._source.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(
        self,
        deliver: Callable[[Snapshot], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        try:
            for batch in self._source.batches():
                self._intake.take(batch)
                view, self._wanted = self._wanted, None
                if view is not None:
                    deliver(self._dress(self._intake.board.snapshot(view)))
        except DDPWatchError as error:
            failed(error)
        except Exception as error:
            log.exception("the feed ended")
            failed(error)
