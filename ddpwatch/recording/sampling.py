"""Which states of a long pass stand for its course? A few dozen steps, each of all its ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ddpwatch.errors import RecordingError
from ddpwatch.recording.channels import STATE
from ddpwatch.recording.chunk import Record
from ddpwatch.recording.merged import Opened, Raw
from ddpwatch.recording.reading import chunk_records
from ddpwatch.recording.scan import ChunkPlace
from ddpwatch.recording.where import where_of

CHUNKS = 16
"""Chunks of a pass that are looked into."""

STEPS = 24
"""Steps that are taken of it."""


T = TypeVar("T")


def sampled(
    opened: Sequence[Opened], begin: int, end: int, complain: Callable[[str], None]
) -> Iterator[Raw]:
    """Yield states in [begin, end], nanoseconds, of evenly spread steps."""
    places = [
        (each, place)
        for each in opened
        for place in each.part.chunks
        if place.end >= begin and place.start <= end and _may_hold_states(place)
    ]
    chosen = _spread(places, CHUNKS * len(opened))
    each_gives = max(1, STEPS * len(opened) // max(1, len(chosen)))
    for from_, place in chosen:
        try:
            found = list(chunk_records(from_.file, from_.part, place, {STATE}))
        except RecordingError as error:
            complain(f"{error}; this second is left out")
            continue
        steps = _by_step(r for r in found if begin <= r.log_time <= end)
        most = max(map(len, steps), default=0)
        for records in _spread([each for each in steps if len(each) == most], each_gives):
            yield from (Raw(record, from_.run) for record in records)


def _may_hold_states(place: ChunkPlace) -> bool:
    return not place.channels or STATE in place.channels


def _by_step(found: Iterator[Record]) -> list[list[Record]]:
    """States of the same step of the same pass and dataloader together."""
    steps: defaultdict[tuple[str, int, int, int], list[Record]] = defaultdict(list)
    for record in found:
        where = where_of(record.data)
        if where is not None:
            steps[where.stage, where.pass_, where.dataloader, where.step].append(record)
    return list(steps.values())


def _spread(found: Sequence[T], most: int) -> list[T]:
    if len(found) <= max(1, most):
        return list(found)
    last = len(found) - 1
    if most <= 1:
        return [found[last]]
    return [found[number * last // (most - 1)] for number in range(most)]
