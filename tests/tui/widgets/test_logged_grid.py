"""Do the lines of the Logged screen keep GLOBAL, codes and holes in sight at every width?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from ddpwatch.board.snapshot import LoggedTable
from ddpwatch.tui.widgets.logged_grid import LoggedGrid
from tests.tui import diagnosed, snapshots
from tests.tui.watching import watching


def two_ranks(b=(0.85, 0.85)):
    rows = (
        diagnosed.logged_row("a", "rank-local", (0.9, 0.8), (0.9, 0.8), 0.85, codes=("DW101",)),
        diagnosed.logged_row("b", "mean-of-batches", (0.9, 0.8), b, sync_dist=True,
                             source="forward of val.f1"),
    )  # fmt: skip
    shown = snapshots.table(samples=(91, 91), rows=[])
    return snapshots.snapshot(
        snapshots.run(shown, logged=LoggedTable(snapshots.VALIDATE, 7, True, rows))
    )


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20), (50, 12)])
async def test_codes_are_whole_and_global_is_there(size) -> None:
    async with watching(diagnosed.wrong(), size) as seen:
        await seen.press("2")
        line = seen.line_with("val_precision")
        assert "0.889" in line and "+0.015 ≠" in line and "DW102" in line
        assert "GLOBAL" in seen.text and "? help" in seen.lines[-1]


async def test_rank_zeros_value_gives_way_to_the_code_where_both_do_not_fit() -> None:
    async with watching(diagnosed.wrong(), (80, 24)) as seen:
        await seen.press("2")
        assert " logged " in seen.line_with("GLOBAL")
        await seen.resize(60, 20)
        assert " logged " not in seen.line_with("GLOBAL")


async def test_a_hole_out_of_sight_shows_at_the_edge_it_lies_beyond() -> None:
    async with watching(diagnosed.many_ranks()) as seen:
        await seen.press("2")
        grid = seen.app.screen.grid
        edge = seen.line_with("val_f1").index("∅")
        assert edge == seen.line_with("GLOBAL").index("»")
        grid.first = 1_990
        await seen.pilot.pause()
        assert seen.line_with("val_f1").index("∅") == seen.line_with("GLOBAL").index("«")
        grid.first = 998
        await seen.pilot.pause()
        assert "r1000" in seen.line_with("GLOBAL")
        assert seen.line_with("val_f1").count("∅") == 1


async def test_all_ranks_are_in_the_strip_holes_too() -> None:
    async with watching(diagnosed.many_ranks()) as seen:
        await seen.press("2")
        assert "∅" in seen.line_with("rank 0 ") and "1 without a value" in seen.text
        await seen.resize(120, 20)
        assert "1 without a value" not in seen.text


async def test_facts_stand_under_one_another_where_there_is_room() -> None:
    async with watching(two_ranks(), (160, 36)) as seen:
        await seen.press("2")
        first, second = seen.line_with("rank-local"), seen.line_with("mean-of-batches")
        assert first.index("no sync") == second.index("sync")
        assert first.index("tensor") == second.index("forward of val.f1")
        await seen.resize(80, 24)
        assert "forward of val.f1" not in seen.line_with("b ")


async def test_a_board_that_sorts_codes_by_name_still_gets_the_worst_shown() -> None:
    rows = tuple(replace(row, codes=tuple(sorted(row.codes))) for row in diagnosed.logged_rows())
    table = LoggedTable(snapshots.VALIDATE, 7, True, rows)
    async with watching(snapshots.snapshot(diagnosed.run(logged=table))) as seen:
        await seen.press("2")
        assert "DW105+" in seen.line_with("◐ rank-local")


async def test_hostile_names_leave_the_columns_where_they_are() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("2")
        place = seen.line_with("GLOBAL").index("GLOBAL")
        await seen.deliver(diagnosed.hostile())
        head = seen.line_with("GLOBAL")
        assert head.index("GLOBAL") >= place - 12
        assert all(cell_len(line) == 120 for line in seen.lines)
        assert "\x1b" not in seen.text and "\u202e" not in seen.text


async def test_only_lines_that_changed_are_drawn_again(monkeypatch) -> None:
    async with watching(two_ranks()) as seen:
        await seen.press("2")
        drawn = []
        monkeypatch.setattr(LoggedGrid, "refresh", lambda _, *regions, **__: drawn.append(regions))
        await seen.deliver(two_ranks())
        assert not drawn
        await seen.deliver(two_ranks((0.85, 0.84)))
        ((region,),) = drawn
        assert (region.y, region.height) == (2, 1)
