"""Does the track say where a replay stands, and what lies along it, in any width?"""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.board.snapshot import Mark
from ddpwatch.tui.widgets.tones import width_of
from ddpwatch.tui.widgets.track import HERE, cell_at, gravest, thinned, time_at, track_spans
from tests.tui import replays
from tests.tui.replays import START, playback


def drawn(playback_, width):
    return "".join(span.text for span in track_spans(playback_, width))


def test_the_rail_without_marks() -> None:
    assert drawn(playback(0, marks=()), 5) == "●────"
    assert drawn(playback(232, marks=()), 5) == "━━●──"
    assert drawn(playback(465, marks=()), 5) == "━━━━●"
    assert drawn(playback(9e9, marks=()), 5) == "━━━━●"


def test_marks_have_glyphs_of_their_own() -> None:
    text = drawn(playback(0), 94)
    assert [char for char in text if char not in "─●"] == list("┼!i┼✗╫┼┼")


def test_the_gravest_of_a_cell_is_drawn() -> None:
    ordered = [Mark(0.0, "finding", "", each) for each in ("error", "warning", "info")]
    ordered += [Mark(0.0, "part", ""), Mark(0.0, "epoch", "")]
    for graver, slighter in combinations(ordered, 2):
        assert gravest((slighter, graver)) == gravest((graver, slighter)) == graver
    marks = tuple(Mark(START + 232, mark.kind, "", mark.severity) for mark in ordered)
    assert drawn(playback(0, marks=marks), 5) == "●─✗──"


@given(st.integers(0, 200), st.floats(-10, 500))
def test_one_position_in_exactly_the_width(width, at) -> None:
    spans = track_spans(playback(at), width)
    assert width_of(spans) == width
    assert drawn(playback(at), width).count(HERE) == (width > 0)


@given(st.integers(2, 300), st.data())
def test_a_click_goes_to_the_time_of_its_cell(width, data) -> None:
    cell = data.draw(st.integers(0, width - 1))
    assert cell_at(playback(), time_at(playback(), cell, width), width) == cell


def test_the_ends_of_the_track_are_those_of_the_recording() -> None:
    assert time_at(playback(), 0, 40) == START
    assert time_at(playback(), 39, 40) == START + 465


def test_a_recording_without_length() -> None:
    assert drawn(playback(0, end=START, marks=()), 4) == "●───"


@given(st.lists(st.integers(0, 99), max_size=2_000), st.integers(1, 100))
def test_ticks_leave_the_track_legible(cells, width) -> None:
    kept = thinned(sorted(cells), width)
    assert len(kept) <= max(1, width // 3)
    assert set(kept) <= set(cells)


@pytest.mark.parametrize("width", [20, 40, 90])
def test_five_hundred_marks(width) -> None:
    text = drawn(replays.crowded().playback, width)
    assert len(text) == width and "✗" in text
