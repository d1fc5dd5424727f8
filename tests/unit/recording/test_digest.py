"""Does a digest of a moment lead a board to what it knew then, or as near as it promises?"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ddpwatch.board.snapshot import View
from ddpwatch.recording.library import open_recordings
from ddpwatch.recording.recording import Recording
from ddpwatch.wire.stamped import Tick
from tests.unit.recording import made


@pytest.fixture(scope="module", params=[None, 1], ids=["healthy", "a rank dies"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = made.run(ranks=3, epochs=4, steps=15, dies=request.param)
    folder = tmp_path_factory.mktemp("recorded")
    made.filed(items, folder)
    return folder


def upto(recording: Recording, moment: float) -> list[list[object]]:
    items = [i for batch in recording.items() for i in batch if i.at <= moment]
    return [[*items, Tick(moment)]]


def moments(recording: Recording) -> list[float]:
    dice = random.Random(5)
    span = recording.end - recording.start
    return [
        recording.start + share * span
        for share in (0.0, 0.001, *map(dice.uniform, [0] * 25, [1] * 25), 1)
    ]


def test_an_exact_one_is_what_was_known(recorded: Path) -> None:
    with open_recordings(recorded) as recording:
        for moment in moments(recording):
            wanted = made.folded(upto(recording, moment))
            found = made.folded([recording.at(moment, exact=True)])
            assert made.seen(found) == made.seen(wanted), moment - recording.start


def test_a_quick_one_shows_the_same_but_for_steps_long_past(recorded: Path) -> None:
    with open_recordings(recorded) as recording:
        for moment in moments(recording):
            wanted = made.folded(upto(recording, moment))
            found = made.folded([recording.at(moment)])
            assert made.seen(found)[0] == made.seen(wanted)[0], moment - recording.start


def test_charts_have_samples_of_the_newest_passes(recorded: Path) -> None:
    with open_recordings(recorded) as recording:
        board = made.folded([recording.at(recording.end)])
        (run,) = board.runs.values()
        for key in run.pass_keys()[-4:]:
            series = board.snapshot(View(key=key, over="steps")).run.series
            assert len(series.x) >= 8


def test_the_shorter_way_to_the_end_is_exact(recorded: Path) -> None:
    with open_recordings(recorded) as recording:
        assert made.seen(made.folded(recording.final())) == made.seen(
            made.folded(recording.items())
        )


def test_passing_over_messages_leads_to_what_is_newest(recorded: Path) -> None:
    with open_recordings(recorded) as recording:
        middle = (recording.start + recording.end) / 2
        board = made.folded([recording.at(middle), recording.passed(middle, recording.end)])
        whole = made.folded(recording.items())
        assert made.seen(board)[0]["run"]["table"] == made.seen(whole)[0]["run"]["table"]
        assert len(board.snapshot(View()).run.findings) == 1


def test_frames_that_are_left_out_are_no_loss(recorded: Path) -> None:
    with open_recordings(recorded) as recording:
        middle = (recording.start + recording.end) / 2
        board = made.folded([recording.at(middle), *recording.items(middle)])
        assert {info.missing for info in board.snapshot(View()).run.ranks} == {0}
