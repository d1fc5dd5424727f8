"""Does a sentence say what a row says, and what is wrong?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ddpwatch.tui.widgets.grid_model import build_lines
from ddpwatch.tui.widgets.hint import notice_spans, row_spans
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import snapshots


def said(table, place=0):
    return "".join(span.text for span in row_spans(build_lines(table)[place], table))


def notice(snapshot, width=118):
    return "".join(span.text for span in notice_spans(snapshot, width))


def test_rows() -> None:
    table = snapshots.table()
    assert said(table, 0) == "f1 macro: mean is 0.021 above GLOBAL; worst is rank 2 with 0.855"
    assert "mean and GLOBAL agree" in said(table, 2)
    assert said(table, 3) == "e shows the 10 classes"
    assert said(table, 4) == "samples: 364 on 4 ranks, 91 each"


def test_samples_that_differ() -> None:
    table = snapshots.table([snapshots.row("m", "f1", snapshots.F1, 0.9)], samples=(90, 91, -1, 91))
    assert said(table, 1) == "samples: 272 on 3 ranks, from 90 to 91 a rank"


def test_what_is_odd_is_named() -> None:
    table = snapshots.odd_values().run.table
    assert "no samples on rank 2" in said(table, 0)
    assert "not finite on ranks 0, 3" in said(table, 1)
    assert "no global value, list states grow" in said(table, 3)


def test_many_odd_ranks_are_counted() -> None:
    row = snapshots.row("m", "mean", np.full(9, np.nan), 1.0)
    assert "ranks 0, 1, 2 and 6 more" in said(snapshots.table([row], samples=(1,) * 9))


def test_no_line_no_sentence() -> None:
    assert row_spans(None, None) == ()


def test_notices() -> None:
    assert notice(None) == notice(snapshots.waiting()) == notice(snapshots.digits()) == ""
    assert notice(snapshots.silent()).startswith("! rank 2 silent for 12 s")
    assert "and 1 more" in notice(snapshots.silent())
    assert "3 runs to choose from" in notice(snapshots.many_runs())
    rejected = replace(
        snapshots.digits(), link=replace(snapshots.digits().link, rejected={"malformed": 3, "x": 1})
    )
    assert "4 frames turned away: 3 malformed, 1 x" in notice(rejected)


def test_notices_fit() -> None:
    for width in (48, 58, 118):
        for make in (snapshots.silent, snapshots.hostile, snapshots.many_runs):
            assert width_of(notice_spans(make(), width)) <= width
