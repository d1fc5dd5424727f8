"""Is a recording found by its path, its name, or as the latest?"""

from __future__ import annotations

from pathlib import Path

import pytest

from ddpwatch.errors import RecordingError, UsageError
from ddpwatch.recording.library import VARIABLE, listed, open_recordings, recordings_folder
from tests.unit.recording import made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "recordings"))
    for number in range(3):
        made.filed(
            made.run(run=f"run{number}", start=made.START + 100 * number), tmp_path / "recordings"
        )
    return tmp_path / "recordings"


def run_at(path: str | Path) -> set[str]:
    with open_recordings(path) as recording:
        return {part.about["run"] for part in recording.parts}


def test_by_path_name_and_as_the_latest(folder: Path) -> None:
    names = [name for name, _ in listed(folder)]
    assert [name[16:] for name in names] == ["run2", "run1", "run0"]
    assert run_at(names[1]) == run_at(folder / names[1]) == {"run1"}
    (file,) = (folder / names[1]).iterdir()
    assert run_at(file) == {"run1"}
    assert run_at("latest") == {"run2"}
    assert run_at(folder) == {"run0", "run1", "run2"}


def test_several_runs_are_one_stream_in_time_order(folder: Path) -> None:
    with open_recordings(folder) as recording:
        times = [item.at for batch in recording.items() for item in batch]
        assert times == sorted(times)
        assert set(made.folded(recording.final()).runs) == {"run0", "run1", "run2"}


@pytest.mark.parametrize("name", ["nowhere", "../nowhere", "a\x1bb", ""])
def test_what_is_not_there(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    with pytest.raises((UsageError, RecordingError), match="expected"):
        open_recordings(name or folder.parent / "nothing")


def test_a_folder_without_any(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"expected recordings \(\.mcap files\)"):
        open_recordings(tmp_path)
    assert list(listed(tmp_path / "none")) == []


def test_a_file_that_is_none_is_told_beside_those_that_are(folder: Path) -> None:
    (folder / "other.mcap").write_bytes(b"hello")
    with open_recordings(folder) as recording:
        (note,) = recording.notes
    assert "other.mcap" in note and "another kind" in note


def test_the_latest_of_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(UsageError, match="`ddpwatch serve` makes them"):
        open_recordings("latest")


def test_by_default_they_lie_in_the_users_data() -> None:
    assert recordings_folder({}).parts[-2:] == ("ddpwatch", "recordings")
