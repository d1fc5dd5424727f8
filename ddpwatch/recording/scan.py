"""What is in a part file, and where does it stop making sense? Found without unpacking a chunk.

The summary at the end of a file is for other programs: here every file is walked from its first
byte, record by record, so that one that was cut off is read in the same way as a whole one. What a
record says about its size is held against the size of the file before anything is read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Header, Metadata

from ddpwatch.errors import RecordingError
from ddpwatch.recording.channels import TOPICS
from ddpwatch.recording.part import MAGIC, PROFILE
from ddpwatch.wire.messages import PROTOCOL

LARGEST_WORD = 1 << 16
"""Bytes of a header, a channel or metadata; ours are shorter by far."""

_FRAME = struct.Struct("<BQ")
_CHUNK = struct.Struct("<QQQII")
_MOST_CHANNELS = 256


class ChunkPlace(NamedTuple):
    """A chunk: where its record lies, its times in nanoseconds, and its channels."""

    offset: int
    length: int
    start: int
    end: int
    channels: frozenset[int]


@dataclass(slots=True)
class PartMap:
    """A part file: what it says about itself, its chunks in order, and what is wrong with it.

    `channels` maps the numbers in the file to ours. `is_whole` says that its writer finished it.
    """

    path: Path
    size: int
    about: Mapping[str, str] = field(default_factory=dict)
    channels: dict[int, int] = field(default_factory=dict)
    chunks: list[ChunkPlace] = field(default_factory=list)
    is_whole: bool = False
    trouble: str = ""


def scan(path: Path) -> PartMap:
    """Walk a file.

    Raises:
        RecordingError: it cannot be read, is no recording, or one of another version.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            return _Walk(file, PartMap(path, size)).taken()
    except OSError as error:
        raise RecordingError(
            f"expected a recording at {path}, got: {error.strerror or error}"
        ) from error


class _Walk:
    def __init__(self, file: BinaryIO, found: PartMap) -> None:
        self._file = file
        self._found = found
        self._indexed: set[int] = set()

    def taken(self) -> PartMap:
        found = self._found
        if self._file.read(len(MAGIC)) != MAGIC:
            raise RecordingError(_no_recording(found.path, "a file of another kind"))
        ended = False
        for offset, opcode, length in self._records():
            if ended:
                found.is_whole = opcode == Opcode.FOOTER
                if found.is_whole:
                    break
                continue
            ended = opcode == Opcode.DATA_END
            try:
                self._take(offset, opcode, length)
            except (struct.error, McapError, UnicodeDecodeError) as error:
                found.trouble = f"damaged at byte {offset}: {error or type(error).__name__}"
                break
        self._close_chunk()
        if not found.about:
            raise RecordingError(_no_recording(found.path, "one that says nothing of itself"))
        return found

    def _records(self) -> Iterator[tuple[int, int, int]]:
        """Yield where each record lies, its opcode and its length, as far as they make sense."""
        found, offset = self._found, len(MAGIC)
        while offset < found.size:
            self._file.seek(offset)
            frame = self._file.read(_FRAME.size)
            if len(frame) < _FRAME.size:
                found.trouble = f"cut off at byte {offset}"
                return
            opcode, length = _FRAME.unpack(frame)
            if offset + _FRAME.size + length > found.size:
                found.trouble = f"cut off or damaged at byte {offset}"
                return
            yield offset, opcode, length
            offset += _FRAME.size + length

    def _take(self, offset: int, opcode: int, length: int) -> None:
        found = self._found
        if opcode == Opcode.CHUNK:
            self._close_chunk()
            start, end, _, _, name = _CHUNK.unpack(self._file.read(_CHUNK.size))
            if name > length:
                raise struct.error("the chunk's header is longer than the chunk")
            found.chunks.append(ChunkPlace(offset, length, start, end, frozenset()))
        elif opcode == Opcode.MESSAGE_INDEX and found.chunks:
            (number,) = struct.unpack("<H", self._file.read(2))
            self._indexed.add(number)
        elif opcode == Opcode.HEADER:
            header = Header.read(self._word(length))
            if header.profile != PROFILE:
                raise RecordingError(
                    _no_recording(found.path, f"an MCAP file of {header.library[:60]!r}")
                )
        elif opcode == Opcode.METADATA:
            metadata = Metadata.read(self._word(length))
            if metadata.name == PROFILE and not found.about:
                found.about = metadata.metadata
                _check_version(found)
        elif opcode == Opcode.CHANNEL and len(found.channels) < _MOST_CHANNELS:
            channel = Channel.read(self._word(length))
            if channel.topic in TOPICS:
                found.channels[channel.id] = TOPICS.index(channel.topic) + 1

    def _close_chunk(self) -> None:
        """Give the last chunk the channels that its indexes named."""
        chunks, channels = self._found.chunks, self._found.channels
        if chunks:
            known = frozenset(channels[n] for n in self._indexed if n in channels)
            chunks[-1] = chunks[-1]._replace(channels=known)
        self._indexed = set()

    def _word(self, length: int) -> ReadDataStream:
        if length > LARGEST_WORD:
            raise struct.error(f"{length} bytes where a few were expected")
        return ReadDataStream(BytesIO(self._file.read(length)))


def _check_version(found: PartMap) -> None:
    protocol = found.about.get("protocol", "")
    if protocol != str(PROTOCOL):
        raise RecordingError(
            f"expected a recording of protocol {PROTOCOL}, got one of {protocol[:20]!r} in "
            f"{found.path}: it was made by ddpwatch {found.about.get('version', '?')[:20]}; "
            "read it with that version"
        )


def _no_recording(path: Path, what: str) -> str:
    return (
        f"expected a recording of ddpwatch, got {what}: {path}. `ddpwatch list` shows those "
        "that are here"
    )
