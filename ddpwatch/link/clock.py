"""What time is it for whoever receives? Wall time that never runs backwards."""

from __future__ import annotations

import time
from collections.abc import Callable


class ReceiveClock:
    """Wall time when made, plus the monotonic time since; setting the clock moves nothing."""

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._monotonic = monotonic
        self._offset = wall() - monotonic()

    def __call__(self) -> float:
        """Return seconds since the epoch."""
        return self._monotonic() + self._offset
