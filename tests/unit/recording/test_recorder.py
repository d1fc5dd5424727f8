"""Does the recorder's thread take everything, and never hold up who gives it?"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ddpwatch.recording import recorder as module
from ddpwatch.recording.library import open_recordings
from ddpwatch.recording.recorder import Recorder
from tests.unit.recording import made


def test_what_is_taken_is_in_the_file_when_it_is_closed(tmp_path: Path) -> None:
    items, said = made.run(), []
    with Recorder(tmp_path, said.append) as recorder:
        for item in items:
            recorder.take([item])
    with open_recordings(tmp_path) as recording:
        assert [i for batch in recording.items() for i in batch] == items
    assert not said and recorder.filed.lost == 0
    assert recorder.filed.nbytes == sum(p.stat().st_size for p in tmp_path.rglob("*.mcap"))


def test_what_finds_no_room_is_counted_and_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items, said, go = made.run(), [], threading.Event()
    monkeypatch.setattr(module, "MOST_WAITING", 2_000)
    recorder = Recorder(tmp_path, said.append)
    take = recorder._filing.take
    monkeypatch.setattr(recorder._filing, "take", lambda *a: (go.wait(), take(*a)))
    recorder.open()
    for item in items:
        recorder.take([item])
    lost = recorder.filed.lost
    assert lost > 20
    go.set()
    recorder.close()
    (line,) = said
    assert "watching goes on" in line and str(tmp_path) in line
    with open_recordings(tmp_path) as recording:
        assert sum(map(len, recording.items())) >= len(items) - lost - 20


def test_a_fault_of_its_own_is_told_and_ends_only_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []
    recorder = Recorder(tmp_path, said.append)
    monkeypatch.setattr(recorder._filing, "take", lambda *_: 1 / 0)
    recorder.open()
    recorder.take(made.run()[:2])
    recorder._thread.join()
    assert "recording has ended" in said[0]
    recorder.take(made.run())
    assert recorder.filed.lost > 0
    recorder.close()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = []
    with Recorder(tmp_path / "file" / "below", said.append) as recorder:
        recorder.take(made.run())
    assert len(said) == 1 and "below" in said[0]
