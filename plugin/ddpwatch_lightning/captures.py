"""What has been captured of one pass and dataloader, and is there something better meanwhile?"""

from __future__ import annotations

from collections.abc import Sequence

from ddpwatch_lightning.capture import Captured, OnFailure, capture
from ddpwatch_lightning.freshness import Freshness
from ddpwatch_lightning.holder import Holder


class Captures:
    """Copies of the states, taken on the training thread, and those of them that count at the end.

    Somebody may reset a metric before the pass is over, or update it once more after its last
    batch. Of every metric, therefore, the copy with most updates counts, and the newest of those.
    """

    def __init__(self, on_failure: OnFailure) -> None:
        self._on_failure = on_failure
        self._freshness = Freshness()
        self._whole: list[Captured] = []
        self._single: dict[int, list[Captured]] = {}
        self._most: dict[int, int] = {}

    def begin(self, holders: Sequence[Holder]) -> None:
        """Take the present counts as those of what was there before, and forget all else."""
        self._freshness = Freshness()
        self._whole, self._single, self._most = [], {}, {}
        for holder in holders:
            self._freshness.begin(holder.key, holder.updates)

    def observe(self, holders: Sequence[Holder]) -> None:
        """Notice resets since the last look, without copying anything."""
        for holder in holders:
            self._freshness.observe(holder.key, holder.updates)

    def take(self, holders: Sequence[Holder]) -> list[Captured]:
        """Copy what all holders hold now."""
        return capture(holders, self._freshness, self._on_failure)

    def retain(self, captures: Sequence[Captured]) -> None:
        """Let copies that were taken count at the end."""
        self._whole.extend(captures)
        for captured in captures:
            for holder, updates in zip(captured.holders, captured.updates, strict=True):
                self._most[holder.key] = max(updates, self._most.get(holder.key, 0))

    def improve(self, holder: Holder) -> bool:
        """Copy one holder's states if they have seen more updates than any copy that counts."""
        if holder.updates <= self._most.get(holder.key, 0):
            return False
        self._most[holder.key] = holder.updates
        self._single[holder.key] = self.take([holder])
        return True

    def retained(self) -> list[Captured]:
        """Return the copies that count, for `ddpwatch_lightning.capture.merged`."""
        return [*self._whole, *(each for some in self._single.values() for each in some)]
