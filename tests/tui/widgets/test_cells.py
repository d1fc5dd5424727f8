"""Can absent, late, empty, zero and not-a-number be told apart without colour?"""

from __future__ import annotations

import numpy as np
import pytest
from rich.cells import cell_len

from ddpwatch.tui.widgets.cells import gap_span, head_spans, line_spans, rank_text, worst_of
from ddpwatch.tui.widgets.columns import fit
from ddpwatch.tui.widgets.grid_model import ScoreKey, build_lines
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import snapshots


def drawn(table, place=0, width=118, first=0, opened=frozenset()):
    line = build_lines(table, opened)[place]
    columns = fit(width, len(table.samples), first, 12, 8)
    return "".join(span.text for span in line_spans(line, table, columns))


def test_every_kind_of_cell_reads_differently() -> None:
    table = snapshots.odd_values().run.table
    f1, loss, tokens, _ = table.rows
    assert rank_text(f1, table, 0) == ("0.000", "plain")
    assert rank_text(f1, table, 2) == ("∅", "muted")
    assert rank_text(f1, table, 3) == ("–", "faint")
    assert rank_text(loss, table, 0) == ("nan", "bad")
    assert rank_text(loss, table, 3) == ("inf", "bad")
    assert rank_text(tokens, table, 0) == ("0.000", "plain")


def test_marks_stand_beside_values() -> None:
    table = snapshots.odd_values().run.table
    assert "0.000▼" in drawn(table, 0)
    assert "0.910↓" in drawn(table, 0)
    assert "nan!" in drawn(table, 1)
    assert "inf!" in drawn(table, 1)


def test_why_there_is_no_global_value_is_said_in_its_place() -> None:
    assert "list states grow" in drawn(snapshots.odd_values().run.table, 3)


def test_worst_follows_the_direction_of_the_score() -> None:
    values = (0.9, 0.8, 0.95)
    assert worst_of(snapshots.row("m", "f1", values, 0.9)) == (1, 0.8, "▼")
    assert worst_of(snapshots.row("m", "hamming_distance", values, 0.9)) == (2, 0.95, "▲")
    assert worst_of(snapshots.row("m", "mean", values, 0.9)) is None


def test_ranks_that_agree_have_no_worst() -> None:
    assert worst_of(snapshots.row("m", "f1", (0.90, 0.91, 0.94), 0.9)) is None
    assert worst_of(snapshots.row("m", "f1", (0.2, np.nan, np.nan), 0.2)) is None
    assert worst_of(snapshots.row("m", "f1", (0.2, 0.9), 0.5, present=(True, False))) is None


def test_all_ranks_that_are_worst_are_marked() -> None:
    assert (
        drawn(snapshots.table([snapshots.row("m", "f1", (0.0, 0.9, 0.0, 0.8), 0.9)])).count("▼")
        == 2
    )


@pytest.mark.parametrize(
    ("gap", "text", "tone"),
    [
        (0.042, "+0.042 ≠", "gap"),
        (-0.042, "-0.042 ≠", "gap"),
        (1e-9, "0.000 =", "good"),
        (None, "–", "faint"),
    ],
)
def test_gap_has_sign_mark_and_tone(gap: float | None, text: str, tone: str) -> None:
    span = gap_span(gap, 10)
    assert (span.text.strip(), span.tone) == (text, tone)
    assert cell_len(span.text) == 10


@pytest.mark.parametrize("width", [48, 58, 78, 118, 200])
@pytest.mark.parametrize(
    "make",
    [
        snapshots.digits,
        snapshots.many_ranks,
        snapshots.odd_values,
        snapshots.hostile,
        snapshots.long_names,
    ],
)
def test_lines_never_exceed_their_width(make, width: int) -> None:
    table = make().run.table
    opened = frozenset(ScoreKey(row.key.metric, row.key.score) for row in table.rows)
    columns = fit(width, len(table.samples), 0, 40, 9)
    for line in build_lines(table, opened):
        spans = line_spans(line, table, columns)
        assert width_of(spans) <= width
        if line.row is not None:
            assert width_of(spans) == width
    assert width_of(head_spans(table, columns)) <= width


def test_heads_say_where_more_ranks_are() -> None:
    table = snapshots.many_ranks().run.table
    for first, left, right in ((0, " ", "»"), (5, "«", "»"), (1_999, "«", "│")):
        columns = fit(78, 2_000, first, 12, 5)
        spans = head_spans(table, columns)
        assert spans[1].text == left
        assert spans[2 + columns.shown].text == right


def test_samples_are_summed_over_the_ranks_that_know_them() -> None:
    text = drawn(
        snapshots.table([snapshots.row("m", "f1", snapshots.F1, 0.9)], samples=(91, 91, 0, -1)), -1
    )
    assert text.split() == ["samples", "91", "91", "0", "–", "│", "182"]
