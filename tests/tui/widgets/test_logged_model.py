"""Can pending, never logged, not-a-number and a value be told apart, for keys and for calls?"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from ddpwatch.board.snapshot import Reduction
from ddpwatch.tui.widgets import logged_model as model
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import diagnosed, snapshots

NAN = float("nan")


def cells(row, mode, width=7):
    entry = model.key_entry(row, mode)
    return [entry.cell(rank, width) for rank in range(len(row.called))]


def text_of(entry, width=100):
    lines = model.detail_lines(entry, width)
    assert all(width_of(line) <= width for line in lines)
    return "\n".join("".join(span.text for span in line) for line in lines)


def test_every_kind_of_cell_reads_differently() -> None:
    row = diagnosed.logged_row(
        "k", "rank-local", (0.0, NAN, NAN, NAN), (0.5, NAN, 0.0, NAN),
        called=(True, True, True, False), nonfinite=np.array([0, 3, 0, 0]),
    )  # fmt: skip
    assert cells(row, "before") == [
        ("0.000", "plain"), ("nan", "bad"), ("–", "faint"), ("∅", "bad")
    ]  # fmt: skip
    assert [text for text, _ in cells(row, "after")] == ["0.500", "…", "0.000", "∅"]
    assert cells(row, "calls")[0] == ("#1 ×12", "plain")


def test_a_key_that_no_rank_logged_has_no_holes() -> None:
    row = diagnosed.logged_row("k", "unknown", (NAN,) * 2, (NAN,) * 2, called=(False, False))
    assert cells(row, "before") == [("–", "faint")] * 2
    assert model.key_entry(row, "before").holes is None
    assert not model.strip_of(row, "before")[2].any()


def test_calls_that_do_not_fit_drop_the_order_and_keep_its_warning() -> None:
    row = replace(
        diagnosed.logged_row("k", "rank-local", (1.0, 1.0), (1.0, 1.0)),
        calls=np.array([12_345, 12_345]),
        order=np.array([0, 1]),
    )
    assert cells(row, "calls") == [("×12345", "worst"), ("×12345", "worst")]


@pytest.mark.parametrize("reduction", get_args(Reduction))
def test_every_reduction_has_its_word_and_a_glyph(reduction: str) -> None:
    row = diagnosed.logged_row("k", reduction, (1.0,), (1.0,))
    glyph, word = model.key_entry(row, "before").word.split(" ", 1)
    assert word == reduction
    assert glyph in "✓◐≈?"


def test_calls_on_a_logger_are_written_or_thrown_away() -> None:
    row = diagnosed.logger_rows()[0]
    entry = model.call_entry(row)
    assert entry.cell(0, 7) == ("0.910 ✓", "plain")
    assert entry.cell(1, 7) == ("0.900 ✗", "worst")
    silent = replace(row, calls=np.array([4, 0, 4, 4]), values=np.array([NAN, NAN, NAN, 0.5]))
    assert model.call_entry(silent).cell(0, 7) == ("×4 ✓", "plain")
    assert model.call_entry(silent).cell(1, 7) == ("–", "faint")
    assert "thrown away on rank 1-3" in text_of(entry)


def test_the_strip_marks_holes_and_knows_who_has_a_value() -> None:
    row = diagnosed.logged_rows()[4]
    for mode in model.MODES:
        values, present, holes = model.strip_of(row, mode)
        assert present.tolist() == [True, False, True, False]
        assert holes.tolist() == [False, True, False, True]
        assert np.isfinite(values[present]).all()


def test_details_tell_everything_and_obey_nothing() -> None:
    row = replace(
        diagnosed.logged_rows()[0],
        basis=snapshots.HOSTILE + "語" * 200,
        source=snapshots.HOSTILE,
        alias=snapshots.HOSTILE,
        monitored_by=(snapshots.HOSTILE,),
        rank_zero_only=True,
        nonfinite=np.array([0, 2, 0, 1]),
    )
    for width in (46, 78, 118):
        text = text_of(model.key_entry(row, "before"), width)
        assert "\x1b" not in text and "\u202e" not in text
        for words in ("rank_zero_only", "watched by", "not finite on rank 1,3", "also given out"):
            assert words in text


def test_facts_are_in_words() -> None:
    facts = model.key_entry(diagnosed.logged_rows()[3], "before").facts
    assert facts == ("sync", "mean", "tensor", "validation_step", "to logger+bar")
    plain = replace(diagnosed.logged_rows()[0], logger=False)
    assert model.key_entry(plain, "before").facts[0] == "no sync"
    assert model.key_entry(plain, "before").facts[-1] == "to nowhere"


def test_a_metric_object_is_not_said_to_lack_a_sync() -> None:
    row = replace(diagnosed.logged_rows()[2], source="metric val.recall")
    assert model.key_entry(row, "before").facts[:3] == ("object", "–", "metric val.recall")
