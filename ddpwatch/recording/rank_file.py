"""How does a rank keep its own frames in a file, where perhaps no hub ever listens?"""

from __future__ import annotations

import logging
import time
from pathlib import Path

from ddpwatch.errors import FrameError
from ddpwatch.recording.filing import Filing
from ddpwatch.recording.homes import home_of_rank
from ddpwatch.wire.codec import decode
from ddpwatch.wire.stamped import Stamped

FLUSH = 0.5
"""Seconds between two times at which everything is brought into the file."""

log = logging.getLogger("ddpwatch")


class RankFile:
    """The file of one rank; for the publisher's thread. Nothing is made before the first frame."""

    def __init__(self, folder: Path, rank: int) -> None:
        self._filing = Filing(folder, told=False, home=home_of_rank, mark=f"-rank{rank:05d}")
        self._rank = rank
        self._flush_at = 0.0
        self._warned = False

    def take(self, frame: bytes, at: float) -> None:
        """Keep a frame made at `at`, in seconds of wall time."""
        try:
            stamped = Stamped(at, decode(frame), frame)
        except FrameError as error:
            log.warning("ddpwatch cannot read its own frame and does not record it: %s", error)
            return
        self._filing.take((stamped,), time.monotonic())

    def tick(self) -> None:
        """Bring what was taken into the file, if that was not done a moment ago."""
        now = time.monotonic()
        if now >= self._flush_at:
            self._flush_at = now + FLUSH
            self._filing.flush(now)
            self._warn()

    def close(self) -> None:
        """Finish the file, and say how much of it is missing."""
        self._filing.close(time.monotonic())
        self._warn()
        if self._filing.filed.lost:
            log.warning(
                "ddpwatch could not record %d messages of rank %d",
                self._filing.filed.lost,
                self._rank,
            )

    def _warn(self) -> None:
        filed = self._filing.filed
        if filed.trouble and not self._warned:
            self._warned = True
            log.warning("ddpwatch cannot record this rank; training goes on: %s", filed.trouble)
