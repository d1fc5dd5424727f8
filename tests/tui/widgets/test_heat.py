"""Does one line show all ranks, the odd ones among them?"""

from __future__ import annotations

import numpy as np

from ddpwatch.tui.widgets.heat import BLOCKS, heat_spans
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import snapshots


def strip(row, table, width=120, seen=range(0)):
    lines = heat_spans(row, table, seen, width)
    assert all(width_of(line) <= width for line in lines)
    return ["".join(span.text for span in line) for line in lines]


def one_row(values, **kwargs):
    row = snapshots.row("m", "f1", values, 0.9, **kwargs)
    return row, snapshots.table([row], samples=(1,) * len(values))


def test_few_ranks_have_a_cell_each() -> None:
    line, words = strip(*one_row((0.1, 0.9, 0.5, 0.9)))
    assert line in {" rank 0 ▁█▅█ 3", " rank 0 ▁█▄█ 3"}
    assert "lowest rank 0 0.100" in words
    assert "highest rank 1 0.900" in words
    assert "spread 0.800" in words


def test_an_odd_rank_among_thousands_is_seen() -> None:
    values = np.full(5_000, 0.9)
    values[3_210] = 0.2
    row, table = one_row(values)
    spans = heat_spans(row, table, range(0), 120)[0]
    text = "".join(span.text for span in spans)
    assert text.count(BLOCKS[0]) == 1
    assert [span.text for span in spans if span.tone == "worst"] == [BLOCKS[0]]


def test_odd_cells_are_not_blocks() -> None:
    present = (True, True, True, False, False)
    samples = np.array([1, 1, 1, 0, -1])
    line, words = strip(*one_row((0.5, np.nan, 0.7, 0.0, 0.0), present=present, samples=samples))
    assert line.split()[2] == "▁!█∅·"
    assert "3 without a value" in words


def test_nothing_known_is_said() -> None:
    line, words = strip(*one_row((0.0,) * 4, present=(False,) * 4, samples=-1))
    assert "····" in line
    assert "4 without a value" in words


def test_equal_ranks_make_an_even_strip() -> None:
    assert len(set(strip(*one_row((0.5,) * 8))[0].split()[2])) == 1


def test_ranks_in_the_table_are_brighter() -> None:
    row, table = one_row(np.linspace(0.90, 0.91, 20))
    spans = heat_spans(row, table, range(5, 9), 120)[0]
    assert [(len(s.text), s.tone) for s in spans[1:-1]] == [
        (5, "faint"),
        (4, "plain"),
        (11, "faint"),
    ]


def test_no_room_no_strip() -> None:
    assert heat_spans(*one_row((0.5, 0.6)), range(2), 9) == ((), ())
