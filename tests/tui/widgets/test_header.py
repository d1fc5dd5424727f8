"""Does the top line say whether what is seen is live, at any width?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddpwatch.board.snapshot import LinkInfo, RecordingInfo, View
from ddpwatch.tui.shown import Shown
from ddpwatch.tui.widgets.header import header_spans, state_spans
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import snapshots


def state(snapshot, frozen_for=None):
    return "".join(span.text for span in state_spans(Shown(snapshot, View(), frozen_for)))


def line(snapshot, width):
    return "".join(span.text for span in header_spans(Shown(snapshot), width))


def with_ranks(**changes):
    return snapshots.snapshot(snapshots.run(ranks=snapshots.ranks(4, **changes)))


def test_states() -> None:
    assert state(None) == "◌ waiting for ranks"
    assert state(snapshots.waiting()) == "◌ waiting for ranks"
    assert state(snapshots.digits()) == "● live"
    assert state(snapshots.ended()) == "■ ended"
    assert state(snapshots.silent()) == "● live ! 1 failed, 1 silent"
    assert "paused, 12 s behind" in state(snapshots.digits(), 12.0)
    assert state(with_ranks(r2={"status": "unseen"})) == "◌ waiting for ranks, 3 of 4 here"
    quiet = {f"r{rank}": {"status": "silent"} for rank in range(4)}
    assert state(with_ranks(**quiet)) == "○ silent"


def test_without_a_hub_nothing_looks_live() -> None:
    lost = LinkInfo(live=False)
    assert state(replace(snapshots.digits(), link=lost)) == "○ no hub answers"
    assert state(replace(snapshots.waiting(), link=lost)) == "◌ waiting for a hub"
    text = line(replace(snapshots.digits(), link=lost), 120)
    assert "step/s" not in text
    assert "lag" not in text
    assert "live" not in text


def test_it_says_that_and_how_it_is_recorded() -> None:
    def recorded(**more):
        link = LinkInfo(recording=RecordingInfo("/data", **more))
        return line(replace(snapshots.digits(), link=link), 120)

    assert "rec" not in line(snapshots.digits(), 120)
    assert "● live  ◉ rec" in recorded(nbytes=5)
    assert "● live ! 1,200 not recorded" in recorded(lost=1_200, trouble="no space")
    assert "● live ! not recorded" in recorded(trouble="read-only")


def test_all_is_said_where_there_is_room() -> None:
    text = line(snapshots.digits(), 120)
    for words in (
        "digits-cnn",
        "run 7f3a91",
        "4 ranks · 1 node",
        "● live",
        "41 step/s",
        "lag 0.1 s",
    ):
        assert words in text


@pytest.mark.parametrize("width", [50, 60, 80, 120, 200])
@pytest.mark.parametrize(
    "make",
    [
        snapshots.waiting,
        snapshots.digits,
        snapshots.many_ranks,
        snapshots.silent,
        snapshots.ended,
        snapshots.hostile,
    ],
)
def test_line_is_as_wide_as_the_window(make, width: int) -> None:
    assert width_of(header_spans(Shown(make()), width)) == width


def test_a_long_name_leaves_room_for_the_state() -> None:
    named = replace(snapshots.run(), name="n" * 300)
    text = line(snapshots.snapshot(named), 60)
    assert "● live" in text and "…" in text


def test_an_ended_run_has_no_speed() -> None:
    assert "step/s" not in line(snapshots.ended(), 120)
