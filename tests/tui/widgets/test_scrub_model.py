"""Does the line of a replay say all there is room for, and no more?"""

from __future__ import annotations

import pytest

from ddpwatch.tui.widgets.scrub_model import date_text, note_spans, scrub_line, speed_text
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import replays
from tests.tui.replays import START, playback


def text(spans):
    return "".join(span.text for span in spans)


def test_state_times_and_speed() -> None:
    assert text(scrub_line(playback(), 80).spans).startswith(" ▶ 1:02 / 7:45  ×8 ")
    assert text(scrub_line(playback(paused=True), 80).spans).startswith(" ‖ 1:02 / 7:45 ")
    assert " 0:05 / 1:00:00" in text(scrub_line(playback(5, end=START + 3600), 80).spans)


@pytest.mark.parametrize("width", [20, 50, 60, 80, 99, 100, 120, 200])
@pytest.mark.parametrize(
    "shown",
    [replays.playback(marks=()), replays.crowded().playback, replays.damaged().playback],
    ids=["none", "500", "damaged"],
)
def test_it_fits_and_has_a_track(shown, width) -> None:
    line = scrub_line(shown, width)
    assert width_of(line.spans) <= max(width, 24)
    track = text(line.spans)[line.first :][: line.length]
    assert ("●" in track) == (line.length > 0) == (width >= 50)
    assert width_of(note_spans(shown, width)) <= max(width, 24)


def test_the_track_stays_where_it_is_while_time_and_speed_change() -> None:
    places = {
        scrub_line(playback(at, speed=speed), 120)[1:]
        for at in (0, 115, 465)
        for speed in (0.1, 1.0, 256.0, 1000.0)
    }
    assert len(places) == 1


def test_the_mark_that_one_stands_on_is_named_where_there_is_room() -> None:
    assert "✗ DW105 val_f1" in text(scrub_line(playback(224), 120).spans)
    assert "end of epoch 1" in text(scrub_line(playback(220), 120).spans)
    assert "DW105" not in text(scrub_line(playback(225), 120).spans)
    assert "DW105" not in text(scrub_line(playback(224), 80).spans)


def test_marks_still_to_come_are_announced() -> None:
    for width, words in ((120, "looking for marks"), (80, "looking for marks"), (60, "marks …")):
        assert words in text(scrub_line(playback(is_whole=False), width).spans)
        assert words not in text(scrub_line(playback(), width).spans)


def test_notes() -> None:
    assert note_spans(playback(), 80) == ()
    told = text(note_spans(replays.damaged().playback, 80))
    assert told.startswith(" ! run.mcap was cut short: nothing is known after 7:45")
    assert told.endswith("  and 1 more  ?")
    assert "\x1b" not in text(note_spans(playback(notes=("\x1b[31m",)), 80))


def test_speeds_and_dates() -> None:
    assert [speed_text(each) for each in (0.1, 1.0, 500.0)] == ["×0.1", "×1", "×500"]
    assert date_text(START).startswith("2026-09-2")
    assert date_text(1e20) == date_text(float("nan")) == ""
