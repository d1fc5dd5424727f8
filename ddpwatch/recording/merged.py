"""In which order do the messages of several part files come? By time, each file in its order."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import BinaryIO, NamedTuple, TypeAlias

from ddpwatch.errors import RecordingError
from ddpwatch.recording.chunk import Record
from ddpwatch.recording.reading import chunk_records, item_of
from ddpwatch.recording.scan import ChunkPlace, PartMap
from ddpwatch.wire.stamped import Item, Tick

Complain: TypeAlias = Callable[[str], None]
SILENCE = 1.5
"""Seconds without any item in which a hub would have ticked; a rank's own file has no ticks."""

MOST_TICKS = 60
"""Ticks made up for one gap, however long it is."""


class Opened(NamedTuple):
    """A part file that is open for reading."""

    part: PartMap
    file: BinaryIO

    @property
    def run(self) -> str:
        """The run that it belongs to."""
        return self.part.about.get("run", "")


class Raw(NamedTuple):
    """A message as it lies in a file, and the run that the file belongs to."""

    record: Record
    run: str


class Kept(NamedTuple):
    """An item, its time in nanoseconds, its channel and the rank that it is from."""

    at: int
    channel: int
    rank: int
    item: Item


def open_all(parts: Sequence[PartMap], stack: ExitStack) -> tuple[Opened, ...]:
    """Open the files; `stack` closes them.

    Raises:
        RecordingError: one cannot be opened.
    """
    try:
        return tuple(Opened(part, stack.enter_context(part.path.open("rb"))) for part in parts)
    except OSError as error:
        raise RecordingError(f"expected to read {error.filename}, got: {error.strerror}") from error


def between(
    opened: Sequence[Opened],
    after: int,
    upto: int,
    complain: Complain,
    channels: Collection[int] | None = None,
) -> Iterator[Kept]:
    """Yield what lies in (after, upto], in nanoseconds, of some channels or of all.

    A damaged chunk is told to `complain`, and left out from where the damage begins.
    """
    return map(kept_of, raw_between(opened, after, upto, complain, channels))


def raw_between(
    opened: Sequence[Opened],
    after: int,
    upto: int,
    complain: Complain,
    channels: Collection[int] | None = None,
) -> Iterator[Raw]:
    """Yield the same, not decoded: for who needs few of many."""
    parts = [_of_part(each, after, upto, complain, channels) for each in opened]
    return parts[0] if len(parts) == 1 else heapq.merge(*parts, key=_time)


def with_ticks(found: Iterator[Kept]) -> Iterator[Item]:
    """Yield the items, and where nothing came for long the ticks that the time must have had."""
    last: float | None = None
    for kept in found:
        at = kept.item.at
        if last is not None and at - last > SILENCE:
            count = min(int(at - last), MOST_TICKS)
            step = (at - last) / (count + 1)
            yield from (Tick(last + step * number) for number in range(1, count + 1))
        yield kept.item
        last = at if last is None else max(last, at)


def kept_of(raw: Raw) -> Kept:
    """Return a message of a file as an item."""
    record, run = raw
    return Kept(record.log_time, record.channel, record.sequence, item_of(record, run))


def _time(raw: Raw) -> int:
    return raw.record.log_time


def _of_part(
    opened: Opened,
    after: int,
    upto: int,
    complain: Complain,
    channels: Collection[int] | None,
) -> Iterator[Raw]:
    chunks, run = opened.part.chunks, opened.run
    first = bisect_right(chunks, after, key=lambda place: place.end)
    for place in islice(chunks, first, None):
        if place.start > upto:
            return
        if not _has(place, channels):
            continue
        try:
            for record in chunk_records(opened.file, opened.part, place, channels):
                if after < record.log_time <= upto:
                    yield Raw(record, run)
        except RecordingError as error:
            complain(f"{error}; the rest of this second is left out")


def _has(place: ChunkPlace, channels: Collection[int] | None) -> bool:
    """Whether a chunk may hold what is wanted; one without an index may hold anything."""
    return channels is None or not place.channels or not place.channels.isdisjoint(channels)
