"""What did the ranks give to their loggers, and did it get written?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ddpwatch.board.snapshot import LoggerRow
from ddpwatch.wire.messages import LoggerCall

MOST_ROWS = 2_000
"""Rows kept; of more, the one that was called least recently goes."""


class Place(NamedTuple):
    """What makes two calls belong to one row."""

    logger: str
    method: str
    tag: str
    hook: str
    stage: str


def place_of(call: LoggerCall) -> Place:
    """Return the row of a call."""
    return Place(call.logger, call.method, call.name, call.hook, call.stage or "")


@dataclass(slots=True)
class _Calls:
    """What one rank did with one tag: how often, and its latest value and step."""

    calls: int = 0
    written: bool = False
    value: float = np.nan
    step: int = -1


@dataclass(slots=True)
class LoggerCalls:
    """All calls by logger, method, tag, hook and stage; `version` grows with each."""

    rows: dict[Place, dict[int, _Calls]] = field(default_factory=dict)
    version: int = 0
    shown: tuple[tuple[int, int], tuple[LoggerRow, ...]] = ((0, 0), ())

    def add(self, rank: int, call: LoggerCall, times: int = 1) -> None:
        """Fold in one call, or the latest of so many."""
        place = place_of(call)
        ranks = self.rows.pop(place, {})
        self.rows[place] = ranks
        if len(self.rows) > MOST_ROWS:
            del self.rows[next(iter(self.rows))]
        known = ranks.setdefault(rank, _Calls())
        known.calls += times
        known.written = call.written
        known.value = np.nan if call.value is None else call.value
        known.step = -1 if call.step is None else call.step
        self.version += 1

    def snapshot(self, world_size: int) -> tuple[LoggerRow, ...]:
        """The rows as they are now, by name; made anew only after a call has come."""
        version = (self.version, world_size)
        if self.shown[0] != version:
            rows = (_row(place, ranks, world_size) for place, ranks in sorted(self.rows.items()))
            self.shown = (version, tuple(rows))
        return self.shown[1]


def _row(place: Place, ranks: dict[int, _Calls], world_size: int) -> LoggerRow:
    calls = np.zeros(world_size, dtype=np.int64)
    written = np.zeros(world_size, dtype=bool)
    values = np.full(world_size, np.nan)
    steps = np.full(world_size, -1, dtype=np.int64)
    for rank, known in ranks.items():
        calls[rank], written[rank] = known.calls, known.written
        values[rank], steps[rank] = known.value, known.step
    for array in (calls, written, values, steps):
        array.flags.writeable = False
    return LoggerRow(
        logger=place.logger,
        method=place.method,
        tag=place.tag,
        hook=place.hook,
        stage=place.stage,
        calls=calls,
        written=written,
        values=values,
        steps=steps,
    )
