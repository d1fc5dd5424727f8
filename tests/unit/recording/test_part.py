"""Is a part file one that every reader of MCAP understands, and sound when the disk is not?"""

from __future__ import annotations

from pathlib import Path

import pytest
from mcap.reader import make_reader

from ddpwatch.recording.channels import NUMBERS, TOPICS
from ddpwatch.recording.chunk import Record
from ddpwatch.recording.part import CHUNK_BYTES, Part
from ddpwatch.recording.scan import scan


def written(path: Path, count: int = 10, *, finish: bool = True) -> Part:
    part = Part(path, {"run": "r"})
    for number in range(count):
        part.add(Record(1 + number % 3, number, 10**18 + number, b"%d" % number), 5)
        if number % 4 == 3:
            part.flush()
    if finish:
        part.finish()
    return part


def test_mcaps_own_reader_reads_it_with_all_checksums(tmp_path: Path) -> None:
    written(tmp_path / "a.mcap")
    with (tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        assert summary.statistics.message_count == 10
        assert [each.topic for each in summary.channels.values()] == list(TOPICS)
        assert reader.get_header().profile == "ddpwatch"
        found = [(message.sequence, message.data) for _, _, message in reader.iter_messages()]
        assert found == [(number, b"%d" % number) for number in range(10)]
        hellos = list(reader.iter_messages(topics=["hello"]))
        assert len(hellos) == 4


def test_an_empty_one_is_whole_too(tmp_path: Path) -> None:
    written(tmp_path / "a.mcap", 0)
    with (tmp_path / "a.mcap").open("rb") as file:
        assert not list(make_reader(file, validate_crcs=True).iter_messages())
    assert scan(tmp_path / "a.mcap").is_whole


def test_a_large_message_closes_its_chunk(tmp_path: Path) -> None:
    part = Part(tmp_path / "a.mcap", {"run": "r"})
    part.add(Record(1, 0, 1, bytes(CHUNK_BYTES)), 1)
    assert part.waiting == 0
    part.abandon()


def test_it_never_writes_over_another_file(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        Part(tmp_path / "a.mcap", {"run": "r"})
    assert (tmp_path / "a.mcap").read_bytes() == b"mine"


class Full:
    """A file on a disk that takes some more bytes, then none."""

    def __init__(self, file: object, room: int) -> None:
        self.file, self.room = file, room

    def write(self, data: bytes) -> int:
        if not self.room:
            raise OSError(28, "No space left on device")
        count = self.file.write(bytes(data)[: self.room])
        self.room -= count
        return count

    def __getattr__(self, name: str) -> object:
        return getattr(self.file, name)


@pytest.mark.parametrize("room", [0, 1, 50])
def test_a_full_disk_leaves_whole_chunks_and_what_waits(tmp_path: Path, room: int) -> None:
    part = written(tmp_path / "a.mcap", 9, finish=False)
    before = (tmp_path / "a.mcap").stat().st_size
    part._file = Full(part._file, room)
    assert part.waiting == 1
    with pytest.raises(OSError, match="No space"):
        part.flush()
    assert part.waiting == 1
    assert (tmp_path / "a.mcap").stat().st_size == before == part.size
    part._file.room = 10**6
    part.finish()
    found = scan(tmp_path / "a.mcap")
    assert found.is_whole and len(found.chunks) == 3


def test_what_was_flushed_is_there_without_an_end(tmp_path: Path) -> None:
    written(tmp_path / "a.mcap", 9, finish=False)
    found = scan(tmp_path / "a.mcap")
    assert not found.is_whole and not found.trouble
    assert len(found.chunks) == 2
    assert found.chunks[0].channels == {NUMBERS["hello"], NUMBERS["declare"], NUMBERS["event"]}
