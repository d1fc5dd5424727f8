"""Has a publisher been told to close, with which last word, and until when may it be said?"""

from __future__ import annotations

import threading
import time

from ddpwatch.wire.messages import Bye


class Closing:
    """Set once, by whoever closes; read by the publisher's thread."""

    def __init__(self) -> None:
        self.deadline = float("inf")
        self.bye: Bye | None = None
        self._event = threading.Event()

    @property
    def is_set(self) -> bool:
        """Whether `begin` was called."""
        return self._event.is_set()

    def begin(self, bye: Bye, deadline: float) -> None:
        """Close once everything is acknowledged, at the latest at `deadline` (monotonic clock)."""
        self.bye, self.deadline = bye, deadline
        self._event.set()

    def pause(self, seconds: float) -> None:
        """Sleep; `begin` ends it early, and afterwards only short sleeps remain."""
        if self.is_set:
            time.sleep(min(seconds, 0.01))
        else:
            self._event.wait(seconds)
