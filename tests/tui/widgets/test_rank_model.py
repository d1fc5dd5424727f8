"""Is each rank told in a line, and in full?"""

from __future__ import annotations

import pytest

from ddpwatch.board.snapshot import RankInfo
from ddpwatch.tui.widgets.rank_model import detail_lines, head, matching, rank_line
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import snapshots


def text(spans):
    return "".join(span.text for span in spans)


RANKS = snapshots.silent().run.ranks


def test_a_line_says_who_where_and_how() -> None:
    line = text(rank_line(RANKS[2], 118))
    for words in ("2", "○ silent", "node0:2", "4102", "cuda:2", "validate 3 · step 7", "12 s", "3"):
        assert words in line
    assert "on_train_batch_end 12 s" in line


def test_a_rank_that_never_came_has_no_values() -> None:
    unseen = RankInfo(rank=0, status="unseen")
    line = text(rank_line(unseen, 118))
    assert "◌ unseen" in line
    assert line.count("–") == 6


@pytest.mark.parametrize("width", [48, 58, 78, 118])
def test_lines_fit(width: int) -> None:
    for ranks in (RANKS, snapshots.hostile().run.ranks):
        for info in ranks:
            assert width_of(rank_line(info, width)) <= width
            for line in detail_lines(info, width, 8):
                assert width_of(line) <= width + 1
    assert width_of(head(width)) <= width


def test_details_have_the_end_of_a_stack_within_the_lines_given() -> None:
    deep = "\n".join(f"frame {number}" for number in range(50))
    info = snapshots.ranks(1, r0={"stack": deep, "exception": "ValueError: no"})[0]
    lines = [text(line) for line in detail_lines(info, 80, 7)]
    assert len(lines) == 7
    assert "ValueError: no" in lines[1]
    assert lines[-1].strip() == "frame 49"


def test_details_count_what_was_lost() -> None:
    info = snapshots.ranks(1, r0={"dropped": 2, "missing": 3, "failures": 4, "conflict": True})[0]
    whole = " ".join(text(line) for line in detail_lines(info, 118, 9))
    assert "2 messages dropped on the rank, 3 lost on the way, 4 captures failed" in whole
    assert "second living process" in whole


def test_filter() -> None:
    assert [info.rank for info in matching(RANKS, "SILENT")] == [2]
    assert [info.rank for info in matching(RANKS, "rank 3 node0")] == [3]
    assert len(matching(RANKS, "")) == 4
    assert matching(RANKS, "nowhere") == ()
