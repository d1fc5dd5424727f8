"""How do the chunks of one part file become items? Each by itself, and a bad one is passed over."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from typing import BinaryIO

from ddpwatch.errors import FrameError, RecordingError
from ddpwatch.recording.channels import FINDING, TICK
from ddpwatch.recording.chunk import LARGEST, Record, records, unpacked
from ddpwatch.recording.moments import to_seconds
from ddpwatch.recording.scan import ChunkPlace, PartMap
from ddpwatch.wire.codec import decode
from ddpwatch.wire.stamped import Item, Rejected, Stamped, Tick, Told

_FIXED = struct.Struct("<QQQII")


def chunk_records(
    file: BinaryIO,
    part: PartMap,
    place: ChunkPlace,
    channels: Collection[int] | None = None,
) -> Iterator[Record]:
    """Yield the messages of a chunk, of some channels or of all, with our channel numbers.

    Raises:
        RecordingError: it is damaged; the text says where. What came before it was right.
    """
    ours = part.channels
    wanted = {theirs for theirs, our in ours.items() if channels is None or our in channels}
    is_same = all(ours[each] == each for each in wanted)
    try:
        found = records(_content(file, place), wanted)
        yield from found if is_same else (r._replace(channel=ours[r.channel]) for r in found)
    except (OSError, RecordingError) as error:
        raise RecordingError(
            f"{part.path.name} is damaged at byte {place.offset}: {error}"
        ) from error


def item_of(record: Record, run: str) -> Item:
    """Return what a source had yielded; a frame that cannot be decoded is a rejected one.

    `run` is the run whose findings the file holds.
    """
    at = to_seconds(record.log_time)
    if record.channel == TICK:
        return Tick(at)
    if record.channel == FINDING:
        return Told(at, run, record.data)
    try:
        return Stamped(at, decode(record.data), record.data)
    except FrameError as error:
        return Rejected(at, error.kind)


def _content(file: BinaryIO, place: ChunkPlace) -> bytes:
    file.seek(place.offset + 9)
    fixed = file.read(_FIXED.size)
    if len(fixed) < _FIXED.size:
        raise RecordingError("the chunk's header is cut off")
    _, _, size, crc, name_length = _FIXED.unpack(fixed)
    if name_length > 16:
        raise RecordingError("the chunk's compression has no name that is known")
    rest = file.read(name_length + 8)
    compression = rest[:name_length].decode("latin-1")
    length = int.from_bytes(rest[name_length:], "little")
    room = place.length - _FIXED.size - name_length - 8
    if length > min(room, LARGEST):
        raise RecordingError(f"the chunk declares {length} bytes and has room for {room}")
    return unpacked(compression, file.read(length), crc, size)
