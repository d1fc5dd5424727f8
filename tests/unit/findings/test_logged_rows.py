"""Which rows of a pass may a rule look at, and when?"""

from __future__ import annotations

import pytest

from ddpwatch.findings.logged_rows import ended_rows, epoch_rows
from ddpwatch.findings.rules import averaged_ratio, reduced_twice
from tests.unit.findings.builders import NAN, evidence, logged_row, nothing, taken


def test_rows_of_the_end_are_there_once_every_rank_has_said_its_last_word() -> None:
    row = logged_row("f1", [0.9, 0.8], [0.9, NAN])
    assert list(epoch_rows(taken(row, final=False))) == [row]
    assert not list(ended_rows(taken(row, final=False)))
    assert list(ended_rows(taken(row))) == [row]


@pytest.mark.parametrize("rule", [averaged_ratio, reduced_twice])
def test_one_ranks_last_word_is_not_judged_alone(rule: object) -> None:
    """Rank 1's own value would say which of the two it is."""
    row = logged_row(
        "f1",
        [0.6794, NAN],
        [1.3587, NAN],
        sync_dist=True,
        global_=0.6794,
        reduction="sum-of-ranks",
        source="compute of f1",
    )
    assert nothing(rule.find, evidence(taken(row, final=False)))
