"""Is every file either read as far as it makes sense, or refused with a reason?"""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from mcap.writer import Writer

from ddpwatch.errors import RecordingError
from ddpwatch.recording.library import open_recordings
from ddpwatch.recording.recording import Recording
from ddpwatch.recording.scan import scan
from tests.unit.recording import made

MOST_MEMORY = 64 << 20


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a small recording of seconds with one message each and some with many."""
    items = made.run(ranks=2, epochs=1, steps=3, pause=0.4)
    (path,) = made.filed(items, tmp_path_factory.mktemp("small"))
    return path.read_bytes()


def read(path: Path) -> tuple[int, bool, tuple[str, ...]]:
    """How many items come of a file by each way of reading, and what is said about it."""
    with open_recordings(path) as recording:
        count = sum(map(len, recording.items()))
        made.folded(recording.final())
        made.folded([recording.at((recording.start + recording.end) / 2)])
        return count, recording.is_cut_short, recording.notes


def test_a_whole_file(small: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(small)
    found = scan(path)
    assert found.is_whole and not found.trouble and found.about["run"] == "r"
    count, is_cut_short, notes = read(path)
    assert count > 50 and not is_cut_short and not notes


@pytest.mark.parametrize("stride", [31, pytest.param(1, marks=pytest.mark.soak)])
def test_cut_at_any_byte_it_is_refused_or_read_in_part_and_says_so(
    small: bytes, tmp_path: Path, stride: int
) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(small)
    whole, _, _ = read(path)
    counts = []
    for length in (*range(0, len(small), stride), len(small) - 1):
        path.write_bytes(small[:length])
        try:
            count, is_cut_short, _ = read(path)
        except RecordingError as error:
            assert str(path) in str(error) or "a.mcap" in str(error)
            continue
        # The summary and the last magic are for other programs; nothing of ours is missing.
        assert is_cut_short or count == whole
        counts.append(count)
    assert counts == sorted(counts) and counts[-1] == whole > counts[0] > 0


def corrupted(small: bytes, seed: int) -> bytes:
    """Some bytes changed, taken out, put in or doubled, at places drawn from a seed."""
    dice = random.Random(seed)
    data = bytearray(small)
    for _ in range(dice.choice((1, 1, 1, 2, 5, 40))):
        place = dice.randrange(len(data))
        length = dice.choice((1, 1, 4, 8, 100))
        kind = dice.randrange(5)
        if kind == 0:
            data[place] ^= 1 << dice.randrange(8)
        elif kind == 1:
            data[place : place + length] = dice.randbytes(length)
        elif kind == 2:
            data[place : place + length] = b"\xff" * length
        elif kind == 3:
            del data[place : place + length]
        else:
            data[place:place] = data[place : place + length]
    return bytes(data)


def survive(small: bytes, path: Path, seeds: range) -> int:
    """Read corrupted files; return how many could be read at least in part."""
    readable = 0
    for seed in seeds:
        path.write_bytes(corrupted(small, seed))
        try:
            read(path)
        except RecordingError as error:
            assert len(str(error)) > 20
        else:
            readable += 1
    return readable


def test_corrupted_files_are_refused_or_read_in_part(small: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    survive(small, path, range(3))
    tracemalloc.start()
    try:
        readable = survive(small, path, range(200))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 60 < readable < 200
    assert peak < MOST_MEMORY


@pytest.mark.soak
def test_a_hundred_thousand_corruptions(small: bytes, tmp_path: Path) -> None:
    assert survive(small, tmp_path / "a.mcap", range(1_000, 101_000)) > 30_000


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(RecordingError, match=r"a file of another kind.*ddpwatch list"):
        scan(tmp_path / "a.mcap")


def test_an_mcap_file_of_another_program(tmp_path: Path) -> None:
    with (tmp_path / "a.mcap").open("wb") as file:
        writer = Writer(file)
        writer.start(profile="ros2", library="recorder 1")
        writer.finish()
    with pytest.raises(RecordingError, match="an MCAP file of 'recorder 1'"):
        scan(tmp_path / "a.mcap")


def test_a_file_of_another_version(small: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_bytes(
        small.replace(b"protocol\x01\x00\x00\x001", b"protocol\x01\x00\x00\x007")
    )
    with pytest.raises(RecordingError, match=r"of protocol 1, got one of '7'.*that version"):
        scan(tmp_path / "a.mcap")


@pytest.mark.parametrize("missing", ["nowhere.mcap", "."])
def test_what_is_no_file(tmp_path: Path, missing: str) -> None:
    with pytest.raises(RecordingError, match="expected a recording at"):
        scan(tmp_path / missing)


def test_without_a_message_there_is_nothing_to_open(tmp_path: Path, small: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(small[:700])
    with pytest.raises(RecordingError, match="expected messages in"):
        Recording([scan(path)]).open()
