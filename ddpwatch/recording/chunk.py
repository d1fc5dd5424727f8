"""How do messages become a chunk of an MCAP file, and a chunk messages again?

The layouts are those of the MCAP specification: a message record is opcode, length, channel,
sequence, log time and publish time, then its data; all numbers are little endian.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import zstandard

from ddpwatch.errors import RecordingError
from ddpwatch.wire.codec import MAX_FRAME

LARGEST = MAX_FRAME + (1 << 20)
"""Bytes of a chunk once unpacked; a writer closes one long before, unless a frame is that large."""

MESSAGE = 5
_HEAD = struct.Struct("<BQHIQQ")
_AFTER_LENGTH = 22
_BLOCK = 1 << 20
_WINDOW = 1 << 23


class Record(NamedTuple):
    """A message of a file: times in nanoseconds, `sequence` is the rank."""

    channel: int
    sequence: int
    log_time: int
    data: bytes


@dataclass(slots=True)
class Chunk:
    """Collects messages; `index` says by channel at which times and offsets they are."""

    parts: list[bytes] = field(default_factory=list)
    index: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    size: int = 0
    start: int = 0
    end: int = 0

    def add(self, record: Record, publish_time: int) -> None:
        """Take in a message."""
        channel, sequence, log_time, data = record
        if not self.parts:
            self.start = self.end = log_time
        self.start, self.end = min(self.start, log_time), max(self.end, log_time)
        self.index.setdefault(channel, []).append((log_time, self.size))
        length = _AFTER_LENGTH + len(data)
        head = _HEAD.pack(MESSAGE, length, channel, sequence, log_time, publish_time)
        self.parts += (head, data)
        self.size += len(head) + len(data)

    def content(self) -> bytes:
        """The bytes before compression."""
        return b"".join(self.parts)


def unpacked(compression: str, packed: bytes, crc: int, size: int) -> bytes:
    """Return a chunk's content, or raise `RecordingError` that says what is wrong with it.

    Neither the size that the record declares nor the one in the compressed data is believed:
    memory grows with what really comes out, and that is bounded.
    """
    if size > LARGEST:
        raise RecordingError(f"expected a chunk of at most {LARGEST} bytes, got one of {size}")
    if compression == "zstd":
        content = _decompressed(packed, size)
    elif compression == "":
        content = packed
    else:
        raise RecordingError(f"expected zstd, got the compression {compression[:20]!r}")
    if len(content) != size:
        more = "more" if len(content) > size else len(content)
        raise RecordingError(f"expected {size} bytes in the chunk, got {more}")
    if crc and zlib.crc32(content) != crc:
        raise RecordingError("the checksum of the chunk does not match its content")
    return content


def records(content: bytes, wanted: Container[int] | None = None) -> Iterator[Record]:
    """Yield the messages of a chunk, or of some of its channels; other records are passed over.

    Raises:
        RecordingError: a record reaches beyond the content.
    """
    place, end, size = 0, len(content), _HEAD.size
    while place < end:
        if end - place < size:
            place = _after_short(content, place, end)
            continue
        opcode, length, channel, sequence, log_time, _ = _HEAD.unpack_from(content, place)
        after = place + 9 + length
        if after > end:
            raise RecordingError(f"a record reaches beyond the chunk at byte {place} of it")
        if opcode == MESSAGE:
            if length < _AFTER_LENGTH:
                raise RecordingError(f"a message is too short at byte {place} of the chunk")
            if wanted is None or channel in wanted:
                yield Record(channel, sequence, log_time, content[place + size : after])
        place = after


def _after_short(content: bytes, place: int, end: int) -> int:
    """Pass over a last record that is shorter than any message."""
    if end - place < 9:
        raise RecordingError(f"a record is cut off at byte {place} of the chunk")
    opcode, length = content[place], int.from_bytes(content[place + 1 : place + 9], "little")
    if place + 9 + length > end:
        raise RecordingError(f"a record reaches beyond the chunk at byte {place} of it")
    if opcode == MESSAGE:
        raise RecordingError(f"a message is too short at byte {place} of the chunk")
    return place + 9 + length


def _decompressed(packed: bytes, size: int) -> bytes:
    """Unpack block by block, at most a block more than `size`: a short bomb costs no more."""
    blocks, total = [], 0
    engine = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    try:
        with engine.stream_reader(packed, read_across_frames=False) as stream:
            while total <= size and (block := stream.read(min(_BLOCK, size - total + 1))):
                blocks.append(block)
                total += len(block)
    except (zstandard.ZstdError, MemoryError) as error:
        raise RecordingError(f"the chunk cannot be unpacked: {error}") from error
    return blocks[0] if len(blocks) == 1 else b"".join(blocks)
