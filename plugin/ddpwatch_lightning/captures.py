"""What has been captured of one pass and dataloader, and is there something better meanwhile?"""

from __future__ import annotations

from collections.abc import Sequence

from ddpwatch_lightning.capture import Captured, OnFailure, capture
from ddpwatch_lightning.freshness import Freshness
from ddpwatch_lightning.holder import Holder
from ddpwatch_lightning.holders import Holders


class Captures:
    """Copies of the states, taken on the training thread, and those of them that count at the end.

    Somebody may reset a metric before the pass is over, or update it once more after its last
    batch. Of every metric, therefore, the copy with most updates counts, and the newest of those.
    Copies from before the latest declaration do not, as theirs are other indices.
    """

    def __init__(self, on_failure: OnFailure) -> None:
        self._on_failure = on_failure
        self._freshness = Freshness()
        self._whole: list[Captured] = []
        self._single: dict[int, list[Captured]] = {}
        self._most: dict[int, int] = {}
        self._version = -1

    def begin(self, holders: Holders) -> None:
        """Take the present counts as those of what was there before, and forget all else."""
        self._freshness = Freshness()
        self._start_over(holders.version)
        self._freshness.begin(holders.keys, holders.updates())

    def observe(self, holders: Holders) -> None:
        """Notice resets since the last look, without copying anything."""
        self._freshness.observe(holders.keys, holders.updates())

    def leave_out(self, holders: Holders) -> None:
        """Do not count what was updated since the last look: it was within another pass."""
        self._freshness.leave_out(holders.keys, holders.updates())

    def take(self, holders: Holders, *, exactly: bool = True) -> list[Captured]:
        """Copy what all holders hold now; how exactly, `Holders.pack` explains."""
        return capture(holders, self._freshness, self._on_failure, exactly=exactly)

    def retain(self, captures: Sequence[Captured]) -> None:
        """Let copies that were taken count at the end."""
        for captured in captures:
            if captured.holders.version != self._version:
                self._start_over(captured.holders.version)
            self._whole.append(captured)
            for holder, updates in zip(captured.holders, captured.updates, strict=True):
                self._most[holder.key] = max(updates, self._most.get(holder.key, 0))

    def improve(self, holder: Holder) -> bool:
        """Copy one holder's states if they have seen more updates than any copy that counts."""
        if holder.updates <= self._most.get(holder.key, 0):
            return False
        self._most[holder.key] = holder.updates
        self._single[holder.key] = self.take(Holders([holder], self._version))
        return True

    def retained(self) -> list[Captured]:
        """Return the copies that count, for `ddpwatch_lightning.capture.merged`."""
        return [*self._whole, *(each for some in self._single.values() for each in some)]

    def _start_over(self, version: int) -> None:
        self._whole, self._single, self._most = [], {}, {}
        self._version = version
