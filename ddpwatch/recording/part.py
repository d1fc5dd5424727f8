"""How is one part file written? Appended only, a chunk at a time, sound wherever it is cut."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import zstandard
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    MessageIndex,
    Metadata,
    Statistics,
    SummaryOffset,
)
from mcap.records import Chunk as ChunkRecord

import ddpwatch
from ddpwatch.recording.channels import ENCODING, TOPICS
from ddpwatch.recording.chunk import Chunk, Record
from ddpwatch.wire.messages import PROTOCOL

MAGIC = b"\x89MCAP0\r\n"
PROFILE = "ddpwatch"
CHUNK_BYTES = 1 << 20
"""Bytes of messages after which a chunk is closed even before its second is over."""

LEVEL = 3


class Part:
    """One file, open for appending. Every method may raise `OSError`; the file is then as it was.

    A chunk that could not be written whole is cut off again, as far as the disk lets that happen,
    and still waits.
    """

    def __init__(self, path: Path, about: Mapping[str, str]) -> None:
        """Create the file, which must not exist yet; `about` says which run it belongs to."""
        self.path = path
        self._file: BinaryIO = path.open("xb", buffering=0)
        self._offset = 0
        self._chunk = Chunk()
        self._chunks: list[ChunkIndex] = []
        self._counts: dict[int, int] = {}
        self._compressor = zstandard.ZstdCompressor(level=LEVEL)
        try:
            self._begin(about)
        except BaseException:
            self._file.close()
            raise

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._offset

    @property
    def waiting(self) -> int:
        """Messages that are not in the file yet."""
        return sum(map(len, self._chunk.index.values()))

    def add(self, record: Record, publish_time: int) -> None:
        """Take in a message; it is in the file once its chunk is."""
        self._chunk.add(record, publish_time)
        if self._chunk.size >= CHUNK_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what has been taken in since the last chunk."""
        if not self._chunk.parts:
            return
        chunk = self._chunk
        content = chunk.content()
        packed = self._compressor.compress(content)
        builder = RecordBuilder()
        ChunkRecord(
            "zstd", packed, chunk.end, chunk.start, zlib.crc32(content), len(content)
        ).write(builder)
        length = builder.count
        offsets = {}
        for channel, entries in chunk.index.items():
            offsets[channel] = self._offset + builder.count
            MessageIndex(channel, entries).write(builder)
        self._chunks.append(
            ChunkIndex(
                length, self._offset, "zstd", len(packed), chunk.end, builder.count - length,
                offsets, chunk.start, len(content),
            )
        )  # fmt: skip
        try:
            self._write(_taken(builder))
        except OSError:
            self._chunks.pop()
            raise
        self._chunk = Chunk()
        for channel, entries in chunk.index.items():
            self._counts[channel] = self._counts.get(channel, 0) + len(entries)

    def finish(self) -> None:
        """Write the rest and the summary, by which a reader knows that nothing is missing."""
        try:
            self.flush()
            self._write(self._ending())
        finally:
            self._file.close()

    def abandon(self) -> None:
        """Let go of the file as it is; what waits is lost."""
        self._file.close()

    def _begin(self, about: Mapping[str, str]) -> None:
        self._write(MAGIC)
        header = Header(PROFILE, f"ddpwatch {ddpwatch.__version__}")
        facts = {"protocol": str(PROTOCOL), "version": ddpwatch.__version__, **about}
        self._write(_bytes_of(header, Metadata(PROFILE, facts), *_channels()))

    def _ending(self) -> bytes:
        end = _bytes_of(DataEnd(0))
        start = self._offset + len(end)
        groups: list[tuple[Opcode, list[McapRecord]]] = [
            (Opcode.CHANNEL, list(_channels())),
            (Opcode.STATISTICS, [self._statistics()]),
            (Opcode.CHUNK_INDEX, list(self._chunks)),
        ]
        summary, offsets = b"", []
        for opcode, group in groups:
            data = _bytes_of(*group)
            if data:
                offsets.append(
                    SummaryOffset(
                        group_length=len(data),
                        group_opcode=opcode,
                        group_start=start + len(summary),
                    )
                )
            summary += data
        offset_start = start + len(summary)
        summary += _bytes_of(*offsets)
        # The checksum of a summary covers the footer up to the checksum itself.
        unsigned = _bytes_of(Footer(start, offset_start, 0))[:-4]
        crc = zlib.crc32(unsigned, zlib.crc32(summary))
        return end + summary + unsigned + crc.to_bytes(4, "little") + MAGIC

    def _statistics(self) -> Statistics:
        return Statistics(
            attachment_count=0,
            channel_count=len(TOPICS),
            channel_message_counts=dict(self._counts),
            chunk_count=len(self._chunks),
            message_count=sum(self._counts.values()),
            message_end_time=max((c.message_end_time for c in self._chunks), default=0),
            message_start_time=min((c.message_start_time for c in self._chunks), default=0),
            metadata_count=1,
            schema_count=0,
        )

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[self._file.write(view) :]
        except OSError:
            self._cut_back()
            raise
        self._offset += len(data)

    def _cut_back(self) -> None:
        try:
            os.ftruncate(self._file.fileno(), self._offset)
            self._file.seek(self._offset)
        except OSError:
            pass  # A reader finds the half chunk at the end, and says so.


def _channels() -> list[Channel]:
    return [Channel(number, topic, ENCODING, {}, 0) for number, topic in enumerate(TOPICS, 1)]


def _bytes_of(*records: McapRecord) -> bytes:
    builder = RecordBuilder()
    for record in records:
        record.write(builder)
    return _taken(builder)


def _taken(builder: RecordBuilder) -> bytes:
    data: bytes = builder.end()  # type: ignore[no-untyped-call]
    return data
