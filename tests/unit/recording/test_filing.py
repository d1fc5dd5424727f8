"""Does every message get into the right file, and is what does not counted?"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ddpwatch.recording import filing as module
from ddpwatch.recording.filing import AGAIN_AFTER, LONG_QUIET, QUIET, Filing
from ddpwatch.recording.library import grouped, listed, open_recordings
from ddpwatch.recording.scan import scan
from ddpwatch.wire.stamped import Rejected, Stamped, Tick, Told
from tests.unit.recording import made


def test_every_item_comes_back_as_it_was(tmp_path: Path) -> None:
    items = made.run()
    made.filed([*items, Rejected(items[-1].at, "malformed")], tmp_path)
    with open_recordings(tmp_path) as recording:
        assert [i for batch in recording.items() for i in batch] == items
        assert recording.is_told and not recording.is_cut_short and not recording.notes


def test_runs_have_files_of_their_own_and_ticks_go_into_each(tmp_path: Path) -> None:
    one, other = made.run(run="one"), made.run(run="../other\n*")
    both = sorted([*one, *other], key=lambda item: item.at)
    made.filed(both, tmp_path)
    found = dict(listed(tmp_path))
    assert [name[16:] for name in sorted(found)] == ["one", "other"]
    for parts in found.values():
        (part,) = parts
        with open_recordings(part.path) as recording:
            items = [i for batch in recording.items() for i in batch]
        run = part.about["run"]
        assert [i for i in items if isinstance(i, Stamped)] == [
            i for i in both if isinstance(i, Stamped) and i.envelope.run == run
        ]
        assert {i.run for i in items if isinstance(i, Told)} == {run}
        assert sum(isinstance(i, Tick) for i in items) >= sum(isinstance(i, Tick) for i in one)


def test_who_goes_on_after_a_restart_is_found_in_the_same_folder(tmp_path: Path) -> None:
    items = made.run(epochs=4)
    half = len(items) // 2
    # The hub that comes later is given the journal again.
    journal = [i for i in items[:half] if isinstance(i, Stamped) and i.envelope.journal]
    later = [replace(i, at=items[half].at) for i in journal]
    made.filed(items[:half], tmp_path, finish=False)
    made.filed([*later, *items[half:]], tmp_path)
    ((_, parts),) = listed(tmp_path)
    assert [part.is_whole for part in parts] == [False, True]
    with open_recordings(tmp_path) as recording:
        whole = made.folded(recording.items())
        assert recording.is_cut_short
    assert made.seen(whole)[0]["run"]["table"] == made.seen(made.folded([items]))[0]["run"]["table"]


def test_the_same_name_on_another_day_is_another_recording(tmp_path: Path) -> None:
    first, second = made.run(), made.run(start=made.START + 90_000)
    other = [_of_another_process(item) for item in second]
    made.filed(first, tmp_path)
    made.filed(other, tmp_path)
    assert len(list(listed(tmp_path))) == 2
    assert len(grouped([scan(path) for path in tmp_path.rglob("*.mcap")])) == 2


def _of_another_process(item: object) -> object:
    if not isinstance(item, Stamped):
        return item
    envelope = item.envelope
    changed = type(envelope)(
        envelope.run, envelope.rank, envelope.claim + "b", envelope.seq, envelope.journal,
        envelope.sent, envelope.body,
    )  # fmt: skip
    return made.framed(replace(item, envelope=changed))


@pytest.mark.parametrize(("dies", "quiet"), [(None, QUIET), (1, LONG_QUIET)])
def test_a_file_is_finished_when_its_run_is_over(
    tmp_path: Path, dies: int | None, quiet: float
) -> None:
    items = made.run(dies=dies)
    filing = Filing(tmp_path)
    filing.take(items, 0.0)
    filing.take([Tick(items[-1].at + quiet - 10)], 0.0)
    filing.flush(0.0)
    (path,) = tmp_path.rglob("*.mcap")
    assert not scan(path).is_whole
    filing.take([Tick(items[-1].at + quiet + 10)], 0.0)
    assert scan(path).is_whole
    assert filing.filed.lost == 0


def test_a_disk_that_takes_nothing_is_counted_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = made.run()
    third = len(items) // 3
    filing = Filing(tmp_path)
    filing.take(items[:third], 0.0)
    filing.flush(0.0)
    (path,) = tmp_path.rglob("*.mcap")
    monkeypatch.setattr(module.Part, "flush", _full)
    filing.take(items[third : 2 * third], 1.0)
    filing.flush(1.0)
    filing.flush(2.0)
    lost = sum(isinstance(i, Stamped | Told | Tick) for i in items[third : 2 * third])
    assert filing.filed.lost == lost
    assert "No space left" in filing.filed.trouble
    monkeypatch.undo()
    filing.take(items[2 * third : -3], 3.0)
    assert len(list(tmp_path.rglob("*.mcap"))) == 1, "not before half a minute is over"
    filing.take(items[-3:], 3.0 + AGAIN_AFTER)
    filing.close(4.0 + AGAIN_AFTER)
    assert not scan(path).is_whole and len(scan(path).chunks) == 1


def _full(_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_folder_that_goes_away_costs_messages_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    filing = Filing(folder)
    items = made.run()
    filing.take(items[:20], 0.0)
    shutil.rmtree(folder)
    folder.write_text("a file now")
    filing.take(items[20:], 0.0)
    filing.flush(0.0)
    filing.close(0.0)
    other = Filing(folder)
    other.take(items, 0.0)
    other.close(0.0)
    assert other.filed.lost > 0 and str(folder) in other.filed.trouble
