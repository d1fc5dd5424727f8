"""How do a source, a board and a screen meet? In one thread, which alone touches the first two."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from ddpwatch.board.board import Board
from ddpwatch.board.snapshot import Snapshot, View
from ddpwatch.wire.stamped import Source

log = logging.getLogger("ddpwatch")


class Stoppable(Source, Protocol):
    """A source whose `batches` ends soon after `stop` is called from any thread."""

    def stop(self) -> None:
        """End `batches`."""
        ...


class SourceFeed:
    """Folds all that a source yields, and makes a snapshot only when one was asked for.

    A screen that is slow therefore gets fewer snapshots, never a queue of stale ones.
    """

    def __init__(self, source: Stoppable, board: Board) -> None:
        """The feed owns both from `start` to `stop`."""
        self._source = source
        self._board = board
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
                self._board.fold(batch)
                view, self._wanted = self._wanted, None
                if view is not None:
                    deliver(self._board.snapshot(view))
        except Exception as error:
            log.exception("the feed ended")
            failed(error)
