"""What do all calls of `self.log` with one name, in one hook, add up to?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ddpwatch.wire.messages import LoggedKey
from ddpwatch_lightning.origins import Lookup, Origin, Snapshot
from ddpwatch_lightning.scalars import Scalar, numbers


class Sums:
    """Values, added up as Lightning's own reductions would, but in double precision."""

    __slots__ = ("is_nan", "is_unknown", "least", "most", "total", "weight", "weighted_sum")

    def __init__(self) -> None:
        self.weighted_sum = self.weight = self.total = 0.0
        self.least: float | None = None
        self.most: float | None = None
        self.is_nan = self.is_unknown = False

    def add(self, number: float, weight: float) -> None:
        """Take in a value with the batch size that Lightning weighs it by."""
        self.correct(number, weight)
        self.total += number
        if number != number:  # noqa: PLR0124 - the quickest test for NaN
            self.is_nan = True
            return
        self.least = number if self.least is None or number < self.least else self.least
        self.most = number if self.most is None or number > self.most else self.most

    def correct(self, number: float, weight: float) -> None:
        """Let a value that is in already weigh more, or less."""
        self.weighted_sum += number * weight
        self.weight += weight

    def reduced(self, reduce_fx: str) -> float | None:
        """Return what Lightning makes of them at the end of an epoch, before any sync."""
        if self.is_unknown:
            return None
        if reduce_fx == "mean":
            return self.weighted_sum / self.weight if self.weight else None
        if reduce_fx == "sum":
            return self.total
        if self.is_nan:
            return math.nan
        return {"max": self.most, "min": self.least}.get(reduce_fx)


class Entry:
    """One key of one pass: what it is, from its first call, and what its calls add up to.

    `is_tensor`, `runs_collective` and `guesses_weight` are for the training thread, which makes the
    entry; all that follows them in the slots is the publisher's.
    """

    __slots__ = (
        "about",
        "calls",
        "guesses_weight",
        "held",
        "is_tensor",
        "last",
        "last_step",
        "nonfinite",
        "nonfinite_step",
        "origin",
        "runs_collective",
        "sums",
    )

    def __init__(self, about: LoggedKey) -> None:
        self.about = about
        self.is_tensor = not about.metric
        self.runs_collective = about.syncs and about.on_step
        self.guesses_weight = self.is_tensor and about.on_epoch and about.reduce_fx == "mean"
        self.origin = Origin()
        self.sums = self.held = Sums()
        self.calls = self.nonfinite = 0
        self.last: float | None = None
        self.last_step = self.nonfinite_step = -1

    def key(self) -> LoggedKey:
        """Return the key with all that its calls add up to."""
        sums = self.sums
        return msgspec.structs.replace(
            self.about,
            calls=self.calls,
            weighted_sum=sums.weighted_sum,
            weight=sums.weight,
            total=sums.total,
            least=sums.least,
            most=sums.most,
            last=self.last,
            last_step=self.last_step,
            nonfinite=self.nonfinite,
            nonfinite_step=self.nonfinite_step,
            origin=self.origin.name(self.about.name)[:512] if self.is_tensor else "",
        )

    def local(self) -> float | None:
        """Return what Lightning would end the epoch with on this rank alone."""
        return self.held.reduced(self.about.reduce_fx) if self.is_tensor else None

    def start_over(self) -> None:
        """Lightning forgets what it held so far, the pass does not."""
        if self.calls:
            self.held = Sums()

    def correct(self, number: float | None, weight: float) -> None:
        """Let a value that is in already weigh more, or less, by this weight."""
        if number is not None:
            for sums in {self.sums, self.held}:
                sums.correct(number, weight)

    def take(
        self,
        number: float | None,
        weight: float,
        step: int,
        snapshot: Snapshot | None,
        lookup: Lookup,
    ) -> None:
        """Take in one call and its number, which is None for a metric object."""
        self.calls += 1
        self.last_step = step
        if number is None:
            return
        self.last = number
        for sums in {self.sums, self.held}:
            sums.add(number, weight)
        if not math.isfinite(number):
            self.nonfinite_step = step if not self.nonfinite else self.nonfinite_step
            self.nonfinite += 1
        self.origin.narrow(number, snapshot, lookup)


Call = tuple[Entry, Scalar, float, int, Snapshot | None]
"""One call: a value, the batch size that weighs it, the step, and what the metrics held meanwhile.

A plain tuple, because one is made in every call."""


class Correction(NamedTuple):
    """What the weight of a call before turned out to be wrong by."""

    entry: Entry
    value: Scalar
    weight: float


class Restart(NamedTuple):
    """Lightning forgot what it held of one entry, since a new epoch of its hook begins."""

    entry: Entry
    value: None = None


Item = Call | Correction | Restart


def fold(items: Sequence[Item]) -> None:
    """Take in calls in their order; for the publisher's thread, inside `scalars.passed`."""
    lookup = Lookup()
    for item, number in zip(items, numbers([item[1] for item in items]), strict=True):
        if isinstance(item, Correction):
            item.entry.correct(number, item.weight)
        elif isinstance(item, Restart):
            item.entry.start_over()
        else:
            entry, _, weight, step, snapshot = item
            entry.take(number, weight, step, snapshot, lookup)
