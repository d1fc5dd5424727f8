"""Are chunks unpacked without believing what they say about their size?"""

from __future__ import annotations

import tracemalloc
import zlib

import pytest
import zstandard

from ddpwatch.errors import RecordingError
from ddpwatch.recording.chunk import LARGEST, Chunk, Record, records, unpacked

RECORDS = [Record(3, 7, 10**18 + n, bytes([n]) * n) for n in range(5)]


def content() -> bytes:
    chunk = Chunk()
    for record in RECORDS:
        chunk.add(record, 5)
    return chunk.content()


def test_messages_come_back() -> None:
    assert list(records(content())) == RECORDS


def test_an_index_says_where_each_message_is() -> None:
    chunk = Chunk()
    for record in RECORDS:
        chunk.add(record, 5)
    assert (chunk.start, chunk.end) == (RECORDS[0].log_time, RECORDS[-1].log_time)
    for (at, place), record in zip(chunk.index[3], RECORDS, strict=True):
        assert at == record.log_time
        assert next(records(chunk.content()[place:])) == record


def test_wherever_it_is_cut_the_messages_before_are_there() -> None:
    whole = content()
    for length in range(len(whole)):
        found: list[Record] = []
        try:
            found.extend(records(whole[:length]))
        except RecordingError as error:
            assert "of the chunk" in str(error) or "of it" in str(error)
        assert found == RECORDS[: len(found)]


def packed(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


@pytest.mark.parametrize("compression", ["zstd", ""])
def test_unpacking(compression: str) -> None:
    data = packed(content()) if compression else content()
    assert unpacked(compression, data, zlib.crc32(content()), len(content())) == content()


@pytest.mark.parametrize(
    ("compression", "data", "crc", "size", "told"),
    [
        ("lz5", b"", 0, 0, "got the compression 'lz5'"),
        ("zstd", b"no zstd", 0, 5, "cannot be unpacked"),
        ("zstd", packed(content())[:-9], 0, len(content()), "bytes in the chunk"),
        ("zstd", packed(content()), 1, len(content()), "checksum"),
        ("zstd", packed(content()), 0, len(content()) + 1, "bytes in the chunk"),
        ("zstd", packed(content()), 0, len(content()) - 1, "got more"),
        ("zstd", packed(content()), 0, LARGEST + 1, "at most"),
        ("", content(), 0, 2**60, "at most"),
    ],
)
def test_what_is_wrong_is_said(
    compression: str, data: bytes, crc: int, size: int, told: str
) -> None:
    with pytest.raises(RecordingError, match=told):
        unpacked(compression, data, crc, size)


def test_a_bomb_costs_what_was_declared_and_no_more() -> None:
    bomb = packed(bytes(1 << 28))
    tracemalloc.start()
    try:
        with pytest.raises(RecordingError, match="got more"):
            unpacked("zstd", bomb, 0, 1000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 << 20
