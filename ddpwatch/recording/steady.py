"""Which chunks of a file have times that can be believed?

A writer's chunks follow one another. One that claims to begin before its neighbour ended, or that
is the last and has no neighbour to be held against, is unpacked and its messages asked.
"""

from __future__ import annotations

from typing import BinaryIO

from ddpwatch.errors import RecordingError
from ddpwatch.recording.reading import chunk_records
from ddpwatch.recording.scan import ChunkPlace, PartMap


def keep_steady(file: BinaryIO, part: PartMap) -> list[str]:
    """Put right or drop the chunks of `part` that do not fit; return what to say about them."""
    kept: list[ChunkPlace] = []
    notes: list[str] = []
    chunks = part.chunks
    for number, place in enumerate(chunks):
        following = chunks[number + 1].start if number + 1 < len(chunks) else None
        before = kept[-1].end if kept else place.start
        if following is not None and before <= place.start <= place.end <= following:
            kept.append(place)
            continue
        try:
            times = [record.log_time for record in chunk_records(file, part, place)]
        except RecordingError as error:
            notes.append(f"{error}; this second is left out")
            continue
        if times:
            kept.append(place._replace(start=min(times), end=max(times)))
    part.chunks = kept
    return notes
