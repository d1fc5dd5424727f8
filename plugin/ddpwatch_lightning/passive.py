"""What was logged, where the calls cannot be heard? Read from Lightning's items, reducing nothing.

This is less than hearing every call: single values, their order and where they came from stay
unknown, and so do the sums of a synced key once Lightning has reduced them in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from ddpwatch.wire.messages import Emitted, Logged, LoggedKey
from ddpwatch_lightning.cuda import Moment
from ddpwatch_lightning.emitted import Given, emitted, given_of
from ddpwatch_lightning.ledger import MOST_KEYS
from ddpwatch_lightning.log_calls import about
from ddpwatch_lightning.monitors import Held, states
from ddpwatch_lightning.passes import Position
from ddpwatch_lightning.scalars import Scalar, moment, numbers, passed, taken
from ddpwatch_lightning.tally import Entry


class Reading(NamedTuple):
    """One item: its key, what it adds up to (None where that is reduced already), its values."""

    key: LoggedKey
    calls: int
    value: Scalar
    weight: Scalar
    given: Given


class PassiveAccount(msgspec.Struct, frozen=True):
    """What was read at one moment; called on the publisher's thread."""

    readings: list[Reading]
    position: Position
    declare: int
    held: list[Held]
    reached: Moment | None
    is_over: bool

    def __call__(self) -> Logged:
        """Return the message."""
        with passed(self.reached):
            pairs = ((each.value, each.weight) for each in self.readings)
            values = iter(numbers(list(chain.from_iterable(pairs))))
            entries = [_entry(each, next(values), next(values)) for each in self.readings]
            names = self._names(entries)
            monitors = states(self.held)
        return Logged(
            stage=self.position.stage,
            pass_=self.position.pass_,
            epoch=self.position.epoch,
            step=self.position.step,
            global_step=self.position.global_step,
            declare=self.declare,
            final=self.is_over,
            keys=tuple(entry.key() for entry in entries),
            emitted=names,
            monitors=monitors,
        )

    def _names(self, entries: list[Entry]) -> tuple[Emitted, ...]:
        by_key = {each.given.key: entry for each, entry in zip(self.readings, entries, strict=True)}
        return tuple(emitted([each.given for each in self.readings], by_key))


def account(
    results: Mapping[str, Any],
    position: Position,
    declare: int,
    held: list[Held],
    *,
    is_over: bool,
) -> PassiveAccount:
    """Read the items that are in use; for the training thread, waits for nothing."""
    items = [item for item in results.values() if not item.has_reset][:MOST_KEYS]
    readings = [_reading(item, order) for order, item in enumerate(items)]
    return PassiveAccount(readings, position, declare, held, moment(), is_over)


def _reading(item: Any, order: int) -> Reading:
    meta, given = item.meta, given_of(item)
    options = {
        **{name: getattr(meta, name) for name in ("prog_bar", "logger", "on_step", "on_epoch")},
        "reduce_fx": meta.reduce_fx,
        "sync_dist": meta.sync.should,
        "sync_dist_group": meta.sync.group,
        "rank_zero_only": meta.sync.rank_zero_only,
        "metric_attribute": meta.metric_attribute,
    }
    key = about(given.key, item.value, options, order)
    is_reduced = key.syncs and (item._computed is not None or not meta.on_epoch)  # noqa: SLF001
    sums = None if is_reduced or not item.is_tensor else taken(item.value)
    weight = None if sums is None else taken(getattr(item, "cumulated_batch_size", None))
    return Reading(key, int(item._update_count), sums, weight, given)  # noqa: SLF001


def _entry(reading: Reading, value: float | None, weight: float | None) -> Entry:
    entry = Entry(reading.key)
    entry.calls = reading.calls
    sums = entry.sums
    if value is None:
        sums.is_unknown = entry.is_tensor
    elif reading.key.reduce_fx == "mean":
        sums.weighted_sum, sums.weight = value, weight or 0.0
    elif reading.key.reduce_fx == "sum":
        sums.total = value
    else:
        sums.least = sums.most = value
    return entry
