"""Does the chart show every rank, name its lines, and never leave its frame?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ddpwatch.tui.widgets.braille import BLANK
from ddpwatch.tui.widgets.chart_model import legend, picture
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import snapshots


def text_of(lines):
    return ["".join(span.text for span in line) for line in lines]


def tones_of(lines):
    """The tones that dots are drawn in."""
    return {
        span.tone
        for line in lines
        for span in line
        if any(BLANK < ord(c) <= 0x28FF for c in span.text)
    }


@pytest.mark.parametrize(("width", "height"), [(118, 20), (78, 10), (58, 6), (40, 5), (200, 60)])
@pytest.mark.parametrize("world", [1, 4, 12, 13, 300])
def test_pictures_have_the_size_asked_for(world: int, width: int, height: int) -> None:
    lines = picture(snapshots.series(world), width, height)
    assert len(lines) == height
    assert all(width_of(line) <= width for line in lines)


def test_every_line_is_named_at_its_end() -> None:
    text = "\n".join(text_of(picture(snapshots.series(4), 118, 20)))
    for name in ("rank 0", "rank 1", "rank 2", "rank 3", "GLOBAL"):
        assert name in text
    assert "mean" not in text
    assert "mean" in "\n".join(text_of(picture(snapshots.series(4), 118, 20, mean=True)))


def test_names_stand_in_the_order_of_the_ends() -> None:
    series = snapshots.series(4)
    ends = {f"rank {rank}": values[-1] for rank, values in enumerate(series.ranks)}
    ends["GLOBAL"] = series.global_[-1]
    seen = [
        name for line in text_of(picture(series, 118, 20)) for name in ends if f"{name} " in line
    ]
    assert seen == sorted(ends, key=lambda name: -ends[name])


def test_the_worst_rank_stands_out() -> None:
    lines = picture(snapshots.series(4), 118, 20, worst=(3, "▲"))
    assert "worst" in tones_of(lines)
    assert any("rank 3" in line and "▲" in line for line in text_of(lines))


def test_many_ranks_are_a_band() -> None:
    text = "\n".join(text_of(picture(snapshots.series(500), 118, 20)))
    assert "lowest" in text and "highest" in text and "rank 7" not in text


def test_a_missing_value_breaks_the_lines() -> None:
    whole = picture(snapshots.series(1, 20), 118, 20)
    broken = picture(snapshots.series(1, 20, gap_at=10), 118, 20)

    def empty_columns(lines):
        rows = [line[6:90] for line in text_of(lines)[:-2]]
        return sum(all(not 0x2800 < ord(r[c]) <= 0x28FF for r in rows) for c in range(84))

    assert empty_columns(broken) > empty_columns(whole)


def test_axes_name_their_unit_and_only_round_numbers() -> None:
    steps = text_of(picture(snapshots.series(4, 60), 118, 20))
    assert steps[-1].split()[-1] == "step"
    assert steps[-1].split()[:3] == ["0", "10", "20"]
    assert (
        text_of(picture(snapshots.series(4, 6, over="epochs"), 118, 20))[-1].split()[-1] == "epoch"
    )


def test_nothing_is_drawn_of_nothing() -> None:
    empty = snapshots.series(4, 0)
    assert picture(empty, 118, 20) == ()
    nan = np.full((4, 3), np.nan)
    gone = replace(snapshots.series(4, 3), ranks=nan, global_=nan[0], mean=nan[0])
    assert picture(gone, 118, 20) == ()
    assert picture(snapshots.series(4), 118, 3) == ()
    assert picture(snapshots.series(4), 20, 20) == ()


def test_one_point_is_drawn() -> None:
    assert "global" in tones_of(picture(snapshots.series(2, 1), 118, 20))


def test_infinite_values_do_not_stretch_the_axis() -> None:
    series = snapshots.series(4)
    ranks = series.ranks.copy()
    ranks[0, 3] = np.inf
    assert "inf" not in "\n".join(text_of(picture(replace(series, ranks=ranks), 118, 20)))


def test_the_legend_says_what_is_drawn() -> None:
    assert "4 ranks" in text_of([legend(snapshots.series(4), mean=False)])[0]
    assert "lowest to highest of 20 ranks" in text_of([legend(snapshots.series(20), mean=False)])[0]
    assert "mean" in text_of([legend(snapshots.series(1), mean=True)])[0]
