"""Do the columns fill every width exactly, and keep ranks in sight?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.tui.widgets.columns import fit, rank_title


def total(columns):
    left = columns.name + (columns.average + 2 if columns.average else 0)
    ranks = columns.shown * columns.rank
    return left + 2 * columns.edge + ranks + columns.right


@given(
    width=st.integers(48, 250),
    world=st.integers(1, 5_000),
    first=st.integers(-5, 6_000),
    name=st.integers(1, 48),
    average=st.integers(0, 14),
)
def test_columns_fill_the_line(width: int, world: int, first: int, name: int, average: int) -> None:
    for kind in ({}, {"logged": True}, {"logged": True, "with_mean": False}):
        columns = fit(width, world, first, name, average, **kind)
        assert total(columns) == width
        assert 1 <= columns.shown <= world
        assert columns.hidden_left >= 0
        assert columns.hidden_right >= 0
        assert columns.hidden_left + columns.shown + columns.hidden_right == world
        assert columns.name >= min(name, 8)


def test_four_ranks_fit_from_eighty_cells_on() -> None:
    for width in (78, 118):
        columns = fit(width, 4, 0, 9, 5)
        assert list(columns.ranks) == [0, 1, 2, 3]


@pytest.mark.parametrize("width", [48, 58, 69, 70, 78, 84, 99, 100, 118])
def test_what_was_logged_takes_the_place_of_the_mean_and_global_stays(width: int) -> None:
    metrics = fit(width, 4, 0, 9, 5, logged=True)
    assert metrics.global_ >= 7 and metrics.logged >= 7 and metrics.gap >= 9
    assert (metrics.mean > 0) == (width >= 100)
    assert metrics.codes == 0 or metrics.codes >= 6
    keys = fit(width, 4, 0, 9, 5, logged=True, with_mean=False)
    assert keys.codes >= 6 and keys.mean == 0


def test_long_names_give_way_to_four_ranks() -> None:
    assert fit(118, 4, 0, 48, 5).shown == 4


def test_the_last_rank_can_be_reached_and_no_more() -> None:
    columns = fit(118, 2_000, 10_000, 9, 5)
    assert columns.ranks[-1] == 1_999
    assert columns.hidden_right == 0


def test_titles_are_short_for_all_ranks_where_some_are_long() -> None:
    assert rank_title(3, 4, 7) == "rank 3"
    assert rank_title(3, 2_000, 7) == "r3"
