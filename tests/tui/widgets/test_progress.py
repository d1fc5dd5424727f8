"""Is every stage's progress told, as well as the width allows?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddpwatch.board.snapshot import StageProgress
from ddpwatch.tui.widgets.progress import bar, progress_spans
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import snapshots


def line(run, width):
    return "".join(span.text for span in progress_spans(run, width))


def test_stages_bars_and_remaining_time() -> None:
    text = line(snapshots.run(), 120)
    for words in ("epoch 3 (4/10)", "train ━", " 90/90", "validate ━", "─ 8/12", "ETA 0:42"):
        assert words in text


@pytest.mark.parametrize("width", [50, 60, 80, 120, 200])
def test_line_fits(width: int) -> None:
    stages = tuple(
        StageProgress(name, 0, 0, 0, 12345, 99999, running=name == "validate")
        for name in ("sanity_check", "train", "validate", "test", "predict")
    )
    run = replace(snapshots.run(), progress=stages, max_epochs=100_000, epoch=99_999)
    assert width_of(progress_spans(run, width)) <= width
    assert "validate" in line(run, width)


def test_a_loader_without_length_has_no_bar() -> None:
    run = replace(
        snapshots.run(), progress=(StageProgress("train", 0, 0, 0, 57, None, running=True),)
    )
    assert "train 57 steps" in line(run, 120)


def test_unknown_ends_are_not_made_up() -> None:
    text = line(replace(snapshots.run(), eta=None, max_epochs=-1), 120)
    assert "ETA" not in text and "(" not in text


def test_a_bar_is_full_only_at_the_end() -> None:
    assert bar(0, 10, 5) == ("", "─────")
    assert bar(999, 1000, 5) == ("━━━━", "─")
    assert bar(1000, 1000, 5) == ("━━━━━", "")
