"""Did a pass's final states get better between its last batch and its end, or get lost?"""

from __future__ import annotations

from torchmetrics import Metric

from ddpwatch_lightning.captures import Captures
from ddpwatch_lightning.failures import Failures
from ddpwatch_lightning.followed import Followed
from ddpwatch_lightning.reset_window import tap


class Ending:
    """The time in which a module's own hooks update, compute and reset metrics by hand.

    A metric that is reset meanwhile is copied just before, if it has seen more updates than the
    copies there are.
    """

    def __init__(self, captures: Captures, followed: Followed, failures: Failures) -> None:
        """Begin to listen for resets."""
        self._captures = captures
        self._followed = followed
        self._failures = failures
        self._is_better = False
        tap.listen(self._on_reset)

    def close(self) -> bool:
        """Listen no more; return whether there are better copies than there were."""
        tap.forget(self._on_reset)
        for holder in self._followed.holders():
            self._is_better |= self._captures.improve(holder)
        return self._is_better

    def _on_reset(self, metric: Metric) -> None:
        try:
            holder = self._followed.holder(metric)
            if holder is not None:
                self._is_better |= self._captures.improve(holder)
        except Exception as error:  # noqa: BLE001 - called from within the user's call of reset
            self._failures.note("Metric.reset", error)
