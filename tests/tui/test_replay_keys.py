"""Does each key of a replay lead where it promises, from any place?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.board.snapshot import Mark
from ddpwatch.tui.replay_keys import SAME_PLACE, SPEEDS, carry_out, next_place, next_speed
from tests.tui.fake_controls import FakeControls
from tests.tui.replays import START, playback


def place(at, kind, by, **changes):
    found = next_place(playback(at, **{"paused": True, **changes}), kind, by)
    return None if found is None else found - START


def test_epochs_one_after_the_other() -> None:
    assert [place(at, "epoch", 1) for at in (0, 110, 109.99, 330, 440)] == [
        110, 220, 220, 440, None,
    ]  # fmt: skip
    assert [place(at, "epoch", -1) for at in (465, 440, 220, 110, 50, 0)] == [
        440, 330, 110, 0, 0, None,
    ]  # fmt: skip


def test_findings_end_at_the_first_and_at_the_last() -> None:
    assert [place(at, "finding", 1) for at in (0, 115, 120, 224)] == [115, 120, 224, None]
    assert [place(at, "finding", -1) for at in (400, 224, 120, 115)] == [224, 120, 115, None]


def test_one_who_has_just_arrived_goes_on_to_the_one_before() -> None:
    assert place(224, "epoch", -1) == 220
    assert place(224, "epoch", -1, paused=False, speed=8.0) == 110
    assert place(224, "epoch", -1, paused=False, speed=1000.0) == 110
    assert place(229, "epoch", -1, paused=False, speed=8.0) == 220


def test_marks_at_one_time_are_one_place() -> None:
    both = tuple(Mark(START + at, "finding", "", "info") for at in (10.0, 10.01, 10.02, 30.0))
    assert place(0, "finding", 1, marks=both) == 10
    assert place(10, "finding", 1, marks=both) == 30
    assert place(30, "finding", -1, marks=both) == 10
    assert place(10.02, "finding", -1, marks=both) is None


@given(
    st.lists(st.floats(0, 465), max_size=30),
    st.floats(0, 465),
    st.booleans(),
    st.sampled_from(SPEEDS),
)
def test_a_place_lies_on_its_side(times, at, paused, speed) -> None:
    marks = tuple(Mark(START + each, "epoch", "") for each in sorted(times))
    here = playback(at, marks=marks, paused=paused, speed=speed)
    on, back = next_place(here, "epoch", 1), next_place(here, "epoch", -1)
    assert on is None or on > here.at
    assert back is None or here.start <= back <= here.at + SAME_PLACE
    assert on is None or on in {mark.at for mark in marks}


def test_going_on_visits_every_mark_and_ends() -> None:
    here, seen = playback(0, paused=True), []
    while (at := next_place(here, "epoch", 1)) is not None:
        seen.append(at - START)
        here = replace(here, at=at)
    assert seen == [110, 220, 330, 440]


def test_speeds() -> None:
    speed, up = SPEEDS[0], [SPEEDS[0]]
    for _ in range(20):
        speed = next_speed(speed, 1)
        up.append(speed)
    assert tuple(up[: len(SPEEDS)]) == SPEEDS and up[-1] == 1000.0
    down = [next_speed(each, -1) for each in SPEEDS]
    assert tuple(down) == (SPEEDS[0], *SPEEDS[:-1])


@given(st.floats(0.001, 1e5), st.sampled_from([-1, 1]))
def test_any_speed_leads_to_one_on_the_list(speed, by) -> None:
    then = next_speed(speed, by)
    assert then in SPEEDS
    assert then * by > speed * by or then in (SPEEDS[0], SPEEDS[-1])


@pytest.mark.parametrize(
    ("what", "by", "at", "asked"),
    [
        ("play", 1, 0, ("toggle",)),
        ("step", -1, 0, ("step", -1)),
        ("speed", 1, 0, ("speed", 16.0)),
        ("epoch", 1, 0, ("seek", START + 110)),
        ("finding", -1, 400, ("seek", START + 224)),
    ],
)
def test_what_controls_are_told(what, by, at, asked) -> None:
    controls = FakeControls()
    assert not isinstance(carry_out(what, by, playback(at), controls), str)
    assert controls.asked == [asked]


def test_where_there_is_nothing_it_is_said() -> None:
    controls = FakeControls()
    assert carry_out("finding", 1, playback(460), controls) == "no later finding"
    assert carry_out("finding", -1, playback(0), controls) == "no earlier finding"
    assert carry_out("epoch", -1, playback(0), controls) == "this is the begin of the recording"
    told = carry_out("epoch", 1, playback(460, is_whole=False), controls)
    assert told == "no later end of an epoch; marks are still being looked for"
    assert controls.asked == []
