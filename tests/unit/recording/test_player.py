"""Does a replay go where it is told to, as fast forward as back, and show what was known there?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ddpwatch.recording import flow
from ddpwatch.recording.library import open_recordings
from ddpwatch.recording.player import Player
from ddpwatch.wire.stamped import Item, Restart, Stamped
from tests.unit.recording import made


class Replay:
    """A player, its clock in a test's hands, and the board that folds what it yields."""

    def __init__(self, folder: Path, **options: object) -> None:
        self.now = 50.0
        self.recording = open_recordings(folder)
        self.recording.open()
        self.player = Player(self.recording, clock=lambda: self.now, **options)
        # The test's clock stands while a turn is taken, so waiting would be for nothing.
        self.player._stopping.wait = lambda *_: False
        self.batches = self.player.batches()
        self.board = made.folded([])

    def turn(self, seconds: float = 0.0) -> list[Item]:
        self.now += seconds
        items = list(next(self.batches))
        self.board.fold(items)
        return items

    @property
    def at(self) -> float:
        return self.player.playback.at - self.player.playback.start

    def place(self) -> tuple[str, int, int]:
        (run,) = self.board.runs.values()
        latest = run.ranks[0].latest
        return latest.stage, latest.epoch, latest.step

    def matches(self, at: float | None = None) -> bool:
        """Whether the board knows what it would know had it seen everything up to now."""
        moment = self.player.playback.at if at is None else at
        items = [i for batch in self.recording.items() for i in batch if i.at <= moment]
        return (
            made.seen(made.folded([items]))[0]["run"]["table"]
            == (made.seen(self.board)[0]["run"]["table"])
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    made.filed(made.run(ranks=2, epochs=4, steps=15), folder)
    return folder


@pytest.fixture
def replay(folder: Path) -> Iterator[Replay]:
    made_ = Replay(folder)
    yield made_
    made_.recording.close()


def test_it_yields_what_its_clock_has_come_to_and_all_of_it(replay: Replay) -> None:
    found: list[Item] = replay.turn()
    while not replay.player.playback.paused:
        before = replay.player.playback.at
        items = replay.turn(0.3)
        assert all(before < item.at <= replay.player.playback.at for item in items)
        found += items
    whole = [item for batch in replay.recording.items() for item in batch]
    assert [i for i in found if isinstance(i, Stamped)] == [
        i for i in whole if isinstance(i, Stamped)
    ]
    assert replay.matches()


def test_pause_and_go_on_and_begin_again_at_the_end(replay: Replay) -> None:
    replay.turn()
    replay.player.toggle()
    replay.turn(2.0)
    assert replay.at == 2.0 and replay.player.playback.paused
    assert not replay.turn(5.0)
    replay.player.toggle()
    replay.turn()
    replay.turn(1.0)
    assert replay.at == 3.0
    replay.player.seek(1e12)
    replay.turn()
    assert replay.player.playback.paused and replay.matches()
    replay.player.toggle()
    assert isinstance(replay.turn()[0], Restart)
    replay.turn(1.0)
    assert replay.at == 1.0 and replay.matches()


def test_speed(replay: Replay) -> None:
    replay.turn()
    replay.player.set_speed(4.0)
    replay.turn()
    replay.turn(1.0)
    assert replay.at == 4.0 and replay.player.playback.speed == 4.0
    assert replay.matches()


def test_where_more_comes_than_can_be_folded_it_passes_over(
    replay: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "WHOLE", 0)
    replay.turn()
    items = replay.turn(9.0)
    whole = [i for batch in replay.recording.items() for i in batch if i.at <= replay.board.now]
    assert len(items) < len(whole) / 2
    assert replay.matches()


@pytest.mark.parametrize("to", [0.5, 3.0, 7.7, 11.0])
def test_going_anywhere_and_on_from_there(replay: Replay, to: float) -> None:
    replay.turn()
    replay.turn(5.0)
    replay.player.seek(replay.player.playback.start + to)
    assert isinstance(replay.turn()[0], Restart)
    assert replay.at == pytest.approx(to) and replay.matches()
    replay.turn(0.7)
    assert replay.at == pytest.approx(to + 0.7) and replay.matches()


def test_a_place_by_its_name(replay: Replay) -> None:
    replay.turn()
    replay.player.jump("2:3")
    replay.turn()
    assert replay.place() == ("train", 2, 3)
    replay.player.jump("99")
    replay.turn()
    assert "got 99: it has 0 to 3" in replay.player.playback.notes[0]
    assert replay.place() == ("train", 2, 3)
    replay.player.jump("0")
    replay.turn()
    assert not replay.player.playback.notes


def test_beginning_at_a_place(folder: Path) -> None:
    replay = Replay(folder, at="1:5")
    replay.turn()
    assert replay.place() == ("train", 1, 5)
    replay.recording.close()


def test_step_by_step_on_and_back(replay: Replay) -> None:
    replay.turn()
    replay.player.jump("1:3")
    replay.turn()
    places = [replay.place()]
    for by in (1, 1, -1, -1, -1, 3, -5):
        replay.player.step(by)
        replay.turn()
        assert replay.player.playback.paused and replay.matches()
        places.append(replay.place())
    assert [step for _, _, step in places] == [3, 4, 5, 4, 3, 2, 5, 0]


def test_steps_lead_from_pass_to_pass_and_stay_within_the_recording(replay: Replay) -> None:
    replay.turn()
    replay.player.step(-1)
    replay.turn()
    replay.player.step(15)
    replay.turn()
    assert replay.place() == ("train", 0, 14)
    replay.player.step(1)
    replay.turn()
    assert replay.place() == ("validate", 0, 0)
    replay.player.step(100_000)
    replay.turn()
    assert replay.player.playback.at == replay.player.playback.end


def test_marks_are_epochs_findings_and_parts(replay: Replay) -> None:
    assert not replay.player.playback.is_whole
    replay.turn()
    assert replay.player.playback.is_whole
    marks = replay.player.playback.marks
    assert [mark.text for mark in marks if mark.kind == "epoch"] == [f"epoch {n}" for n in range(4)]
    (finding,) = [mark for mark in marks if mark.kind == "finding"]
    assert finding.severity == "warning" and finding.text == "DW101 val_f1 differs"
    assert list(marks) == sorted(marks, key=lambda mark: mark.at)


def test_stop_ends_it(replay: Replay) -> None:
    replay.turn()
    replay.player.stop()
    assert list(replay.batches) == []
