"""How is a run recorded while it is watched? In a thread, so that a slow disk holds up nobody."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import final

from ddpwatch.recording.filing import Filed, Filing
from ddpwatch.wire.stamped import Item, Stamped

FLUSH = 0.5
"""Seconds between two times at which everything is brought into the files."""

MOST_WAITING = 64 * 1024 * 1024
"""Bytes of frames that wait for the disk; what comes while there are more is lost, and counted."""

log = logging.getLogger("ddpwatch")


@final
class Recorder:
    """Takes batches from the thread that folds them; a context manager."""

    def __init__(self, folder: Path, warn: Callable[[str], None], *, told: bool = True) -> None:
        """Nothing is made before the first message. `warn` gets one line, once, on trouble."""
        self._filing = Filing(folder, told=told)
        self._warn = warn
        self._queue: queue.SimpleQueue[Sequence[Item] | None] = queue.SimpleQueue()
        self._waiting = 0
        self._written = 0
        self._overflowed = 0
        self._warned = False
        self._thread: threading.Thread | None = None

    @property
    def filed(self) -> Filed:
        """Where the files are, and what was lost; for any thread."""
        filed = self._filing.filed
        return Filed(filed.folder, filed.nbytes, filed.lost + self._overflowed, filed.trouble)

    def open(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, name="ddpwatch-recorder", daemon=True)
        self._thread.start()

    def take(self, items: Sequence[Item]) -> None:
        """Leave a batch to be recorded; returns at once."""
        nbytes = _bytes_in(items)
        if self._waiting - self._written + nbytes > MOST_WAITING:
            self._overflowed += sum(isinstance(item, Stamped) for item in items)
            return
        self._waiting += nbytes
        self._queue.put(items)

    def close(self) -> None:
        """Record what was left, finish the files, and end the thread."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def __enter__(self) -> Recorder:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._work()
        except Exception:
            log.exception("recording ended")
            self._warn("recording has ended because of an error in ddpwatch; watching goes on")
        finally:
            # Nobody takes from the queue any more, so nothing may be left in it.
            self._written = -MOST_WAITING

    def _work(self) -> None:
        flush_at = time.monotonic() + FLUSH
        while True:
            items = self._next(flush_at)
            now = time.monotonic()
            if items is None:
                self._filing.close(now)
                self._tell()
                return
            self._filing.take(items, now)
            self._written += _bytes_in(items)
            if now >= flush_at:
                self._filing.flush(now)
                self._tell()
                flush_at = now + FLUSH

    def _next(self, until: float) -> Sequence[Item] | None:
        try:
            return self._queue.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return ()

    def _tell(self) -> None:
        filed = self.filed
        if self._warned or not (filed.trouble or filed.lost):
            return
        self._warned = True
        why = filed.trouble or f"{filed.folder} takes longer than the messages come"
        self._warn(f"recording has lost messages, watching goes on: {why}")


def _bytes_in(items: Sequence[Item]) -> int:
    return sum(len(item.raw) for item in items if isinstance(item, Stamped))
