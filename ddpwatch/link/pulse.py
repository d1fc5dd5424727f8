"""What does a rank say once a second, also while its training thread is stuck?"""

from __future__ import annotations

from collections.abc import Callable

from ddpwatch.link.journal import Tally
from ddpwatch.link.outbox import Place
from ddpwatch.link.stack import stack_of
from ddpwatch.wire.messages import Pulse

PERIOD = 1.0
STUCK_AFTER = 3.0
"""Seconds in one place after which the stack goes along."""


class Heart:
    """Makes the pulses of one rank; times are seconds of the monotonic clock."""

    def __init__(self, thread_id: int, amend: Callable[[Pulse], Pulse] | None = None) -> None:
        self._thread_id = thread_id
        self._amend = amend
        self._due = 0.0

    def is_due(self, now: float) -> bool:
        """Say whether a second has passed since the last beat."""
        return now >= self._due

    def beat(self, now: float, place: Place, tally: Tally, journal_lost: int) -> Pulse:
        """Return the pulse for this second."""
        self._due = now + PERIOD
        since = max(0.0, now - place.since)
        pulse = Pulse(
            hook=place.hook[:512],
            key=place.key[:512],
            since=since,
            stack=stack_of(self._thread_id) if since >= STUCK_AFTER else "",
            dropped=tally.dropped,
            failures=tally.failures,
            journal_lost=journal_lost,
            bytes_sent=tally.bytes_sent,
        )
        return self._amend(pulse) if self._amend else pulse
