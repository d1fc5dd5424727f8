"""How did the chosen row go, step by step in one pass or epoch by epoch?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ddpwatch.board.history import Held
from ddpwatch.board.passes import Pass
from ddpwatch.board.rows import columns
from ddpwatch.board.snapshot import FloatArray, RowKey, Series
from ddpwatch.board.table import Declares, measure


@dataclass(frozen=True, slots=True)
class World:
    """What it takes to read the states of a run: its size, what its ranks track, their versions."""

    size: int
    declares: Declares
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Point:
    """The row at one x: every rank's value (NaN where it has none), and the global value."""

    ranks: FloatArray
    global_: float


@dataclass(slots=True)
class SeriesCache:
    """Points of the row in view; one is computed again only when its states change."""

    subject: Hashable = None
    points: dict[Hashable, tuple[Hashable, Point]] = field(default_factory=dict)

    def look_at(self, subject: Hashable) -> None:
        """Forget the points of another row."""
        if subject != self.subject:
            self.subject, self.points = subject, {}

    def get(self, place: Hashable, version: Hashable, make: Callable[[], Point]) -> Point:
        """Return the point at `place`, made anew if `version` is not the one it was made of."""
        known = self.points.get(place)
        if known is None or known[0] != version:
            known = self.points[place] = (version, make())
        return known[1]


def over_steps(taken: Pass, row: RowKey, world: World, cache: SeriesCache) -> Series:
    """Every rank's value and the global one at each step of `taken` that is still held."""
    cache.look_at(("steps", taken.key, row))
    steps = taken.steps()
    points = []
    for step in steps:
        held = taken.at_step(step)
        version = tuple((rank, id(each)) for rank, each in held.items())
        points.append(cache.get(step, version, lambda held=held: point_of(held, row, world)))  # type: ignore[misc]
    return _series(row, "steps", steps, points, world.size)


def over_epochs(passes: Iterable[Pass], row: RowKey, world: World, cache: SeriesCache) -> Series:
    """The value of each finished pass; x is its epoch, or in-between where an epoch has several."""
    finished = [taken for taken in passes if taken.is_final(range(world.size))]
    first = finished[0].key if finished else None
    cache.look_at(("epochs", first and (first.stage, first.dataloader), row))
    points = []
    for taken in finished:
        held = {r: each.final for r, each in taken.ranks.items() if each.final is not None}
        points.append(
            cache.get(taken.key, taken.version, lambda held=held: point_of(held, row, world))  # type: ignore[misc]
        )
    return _series(row, "epochs", _places(finished), points, world.size)


def point_of(held: Mapping[int, Held], row: RowKey, world: World) -> Point:
    """Evaluate one row; its global value is NaN unless all ranks are there."""
    obstacle = "" if len(held) == world.size else "not all ranks have come so far"
    for measured in measure(held, world.size, world.declares, obstacle, only=row.metric):
        found = measured.evaluate(world.versions)
        for column in columns(found.local, found.global_):
            if (column.score.name, column.index) == (row.score, row.label):
                value = np.nan if column.global_ is None else column.global_
                return Point(measured.by_rank(column.local), value)
    return Point(np.full(world.size, np.nan), np.nan)


def _places(finished: list[Pass]) -> list[float]:
    """Epoch numbers, spread evenly where several passes share one."""
    places = []
    for taken in finished:
        same = [t.key for t in finished if t.key.epoch == taken.key.epoch]
        places.append(taken.key.epoch + same.index(taken.key) / len(same))
    return places


def _series(
    row: RowKey,
    over: Literal["steps", "epochs"],
    x: list[int] | list[float],
    points: list[Point],
    world_size: int,
) -> Series:
    ranks = np.array([point.ranks for point in points]).reshape(len(points), world_size).T
    present = ~np.isnan(ranks)
    sums = np.where(present, ranks, 0.0).sum(axis=0)
    counts = present.sum(axis=0)
    mean = np.divide(sums, counts, out=np.full(len(points), np.nan), where=counts > 0)
    return Series(
        row=row,
        over=over,
        x=np.array(x, dtype=np.float64),
        ranks=ranks,
        mean=mean,
        global_=np.array([point.global_ for point in points], dtype=np.float64),
    )
