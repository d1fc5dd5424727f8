"""Does every key on the Metrics screen do what it says?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddpwatch.board.snapshot import PassKey, RowKey
from ddpwatch.tui.screens.help import HelpScreen
from ddpwatch.tui.screens.metrics import share_height
from ddpwatch.tui.widgets.chart import Chart
from tests.tui import snapshots
from tests.tui.watching import watching

VIEWED = RowKey("val_metrics.f1", "f1")


def cursor_name(seen):
    return seen.grid.chosen.name


async def test_table_and_chart_are_there() -> None:
    async with watching(snapshots.digits()) as seen:
        assert seen.line_with("f1  ").split()[1:4] == ["macro", "0.913", "0.902"]
        for words in ("rank 3", "GLOBAL", "gap", "0.871", "+0.021 ≠", "samples", "10 classes"):
            assert words in seen.text
        assert "f1 macro  over the steps of validate" in seen.text


async def test_the_cursor_moves_by_line_page_and_to_the_ends() -> None:
    async with watching(snapshots.digits(), (80, 24)) as seen:
        await seen.press("down")
        assert cursor_name(seen) == "precision"
        await seen.press("j", "k", "up")
        assert cursor_name(seen) == "f1"
        await seen.press("end")
        assert cursor_name(seen) == "samples"
        await seen.press("home")
        assert cursor_name(seen) == "f1"
        await seen.press("pagedown")
        assert cursor_name(seen) == "samples"
        await seen.press("pageup")
        assert cursor_name(seen) == "f1"


async def test_the_row_with_the_cursor_is_the_one_asked_for() -> None:
    async with watching(snapshots.digits()) as seen:
        assert seen.view.row == VIEWED
        await seen.press("down")
        assert seen.view.row == RowKey("val_metrics.precision", "precision")
        await seen.press("down", "down", "down")
        assert seen.view.row == RowKey("val_metrics.recall", "recall")


@pytest.mark.parametrize("key", ["e", "enter", "right"])
async def test_classes_open_and_close(key: str) -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press(key)
        assert seen.grid.count() == 15
        await seen.press("down")
        assert seen.view.row == RowKey("val_metrics.f1", "f1", 0)
        assert "f1 · 0: " in seen.text
        await seen.press("left" if key == "right" else key)
        assert (seen.grid.count(), cursor_name(seen)) == (5, "f1")


async def test_open_classes_stay_open_in_the_next_snapshot() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("e", "down", "down")
        await seen.deliver(snapshots.snapshot(snapshots.run(snapshots.table(step=8))))
        assert seen.grid.count() == 15
        assert cursor_name(seen) == "1"


async def test_the_cursor_keeps_its_row_when_rows_come_and_go() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("down")
        loss = snapshots.row("a_loss", "mean", snapshots.F1, 0.4, average="", cls="MeanMetric")
        await seen.deliver(
            snapshots.snapshot(snapshots.run(snapshots.table([loss, *snapshots.digit_rows()])))
        )
        assert (seen.grid.cursor, cursor_name(seen)) == (2, "precision")
        await seen.deliver(snapshots.snapshot(snapshots.run(snapshots.table([loss]))))
        assert seen.grid.chosen is not None
        assert seen.grid.cursor < seen.grid.count()


async def test_the_cursor_begins_at_the_first_row_even_if_rows_come_later() -> None:
    async with watching(snapshots.snapshot(snapshots.run(snapshots.table([])))) as seen:
        assert "samples" in seen.text
        await seen.deliver(snapshots.digits())
        assert cursor_name(seen) == "f1"


async def test_ranks_scroll_under_fixed_columns() -> None:
    async with watching(snapshots.many_ranks()) as seen:
        await seen.press("right", "right")
        head = seen.line_with("GLOBAL").split()
        assert head[2:4] == ["«", "r2"]
        assert head[-4:] == ["»", "mean", "GLOBAL", "gap"]
        await seen.press("shift+right")
        assert seen.grid.first == 10
        await seen.press("left")
        assert seen.grid.first == 9
        await seen.press("shift+left", "shift+left")
        assert seen.grid.first == 0


async def test_the_strip_is_there_where_ranks_do_not_fit_and_on_request() -> None:
    async with watching(snapshots.many_ranks()) as seen:
        assert "lowest rank 1203 0.710" in seen.text
        await seen.press("g")
        assert "lowest rank 1203" not in seen.text
    async with watching(snapshots.digits()) as seen:
        assert "highest rank 0" not in seen.text
        await seen.press("g")
        assert "highest rank 0 0.913" in seen.text


async def test_filter() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("slash", *"prec")
        assert [line.name for line in seen.grid.lines] == ["precision", "10 classes", "samples"]
        assert "filter prec" in seen.text
        await seen.press("enter", "down", "up")
        assert seen.grid.has_focus
        await seen.press("slash", *"zz")
        assert "no row matches" in seen.text
        await seen.press("escape")
        assert seen.grid.count() == 5
        assert seen.grid.has_focus


async def test_escape_clears_a_filter_that_is_already_on() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("slash", *"prec", "enter")
        assert seen.grid.count() == 3
        await seen.press("escape")
        assert seen.grid.count() == 5


async def test_letters_typed_into_the_filter_are_not_verbs() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("slash", *"qso r", "1")
        assert seen.app.is_running
        assert seen.grid.needle == "qso r1"
        assert seen.view.stage is None and seen.view.over == "steps"


async def test_axis_stage_pass_and_following() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("o")
        assert seen.view.over == "epochs"
        await seen.press("s")
        assert seen.view.stage == "train"
        await seen.press("tab")
        assert seen.view.stage == "validate"
        await seen.press("left_square_bracket")
        assert seen.view.key == PassKey(0, "validate", 2, 2, 0)
        await seen.press("right_square_bracket")
        assert seen.view.key == snapshots.VALIDATE
        await seen.press("f")
        assert (seen.view.stage, seen.view.key) == (None, None)
        assert seen.view.over == "epochs"


async def test_dataloaders() -> None:
    other = snapshots.VALIDATE._replace(dataloader=1)
    async with watching(
        snapshots.snapshot(snapshots.run(passes=(*snapshots.PASSES, other)))
    ) as seen:
        assert "dataloader 0" in seen.text
        await seen.press("d")
        assert seen.view.key == other


async def test_the_mean_joins_the_chart_on_request() -> None:
    async with watching(snapshots.digits()) as seen:
        assert "╌╌ mean" not in seen.text
        await seen.press("m")
        assert "╌╌ mean" in seen.text


async def test_help_explains_the_screen() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("question_mark")
        assert isinstance(seen.app.screen, HelpScreen)
        assert "Help: Metrics" in seen.text
        assert "computed from the states of all ranks" in seen.text
        await seen.press("escape")
        assert not isinstance(seen.app.screen, HelpScreen)


async def test_no_metric_yet_is_said() -> None:
    empty = replace(snapshots.run(), table=None, series=None, passes=())
    async with watching(snapshots.snapshot(empty)) as seen:
        assert "no metric has been updated yet" in seen.text
        for key in ("e", "enter", "g", "o", "s", "d", "left_square_bracket", "down", "m", "right"):
            await seen.press(key)
        await seen.deliver(snapshots.digits())
        assert "0.871" in seen.text


async def test_a_run_that_ended_says_so() -> None:
    async with watching(snapshots.ended()) as seen:
        assert "■ ended" in seen.lines[0]
        assert "complete" in seen.text


async def test_several_runs_are_hinted_at() -> None:
    async with watching(snapshots.many_runs()) as seen:
        assert "3 runs to choose from" in seen.text


@pytest.mark.parametrize("room", range(1, 60))
@pytest.mark.parametrize("wanted", [1, 6, 40])
def test_height_is_shared_without_a_rest(room: int, wanted: int) -> None:
    grid, chart = share_height(room, wanted)
    assert grid + chart == room
    assert grid >= 1
    assert chart == 0 or chart >= 7


async def test_lines_that_do_not_change_are_not_drawn_again() -> None:
    rows = snapshots.digit_rows()
    async with watching(snapshots.snapshot(snapshots.run(snapshots.table(rows)))) as seen:
        drawn, draw = [], seen.grid.render_line
        seen.grid.render_line = lambda y: drawn.append(y) or draw(y)
        charted, chart = [], seen.app.screen.query_one(Chart)
        original = chart.render_line
        chart.render_line = lambda y: charted.append(y) or original(y)
        await seen.deliver(
            snapshots.snapshot(snapshots.run(snapshots.table(rows)), at=snapshots.NOW + 1)
        )
        assert (set(drawn) - {5}, charted) == (set(), [])
        changed = snapshots.row("val_metrics.precision", "precision", snapshots.F1, 0.9)
        newer = tuple(changed if row.key == changed.key else row for row in rows)
        await seen.deliver(
            snapshots.snapshot(snapshots.run(snapshots.table(newer)), at=snapshots.NOW + 2)
        )
        assert set(drawn) == {2, 5}
