"""Does the Findings screen say what is wrong, the worst first, why, and what to do?"""

from __future__ import annotations

from dataclasses import replace

from ddpwatch.board.snapshot import LoggedTable
from ddpwatch.tui.screens.findings import FindingList
from ddpwatch.tui.screens.logged import LoggedScreen
from ddpwatch.tui.screens.metrics import MetricsScreen
from tests.tui import diagnosed, snapshots
from tests.tui.watching import watching


async def test_the_most_severe_comes_first_then_the_newest() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("4")
        listed = [f.code for f in seen.app.screen.query_one(FindingList).findings]
        assert listed == ["DW105", "DW102", "DW101", "DW203"]
        assert "1 error · 2 warnings · 1 info" in seen.text


async def test_enter_tells_numbers_reason_and_fix() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("4", "down", "down", "enter")
        for words in ("val_f1 is rank 0's own value, 0.913", "Why", "Fix", "    self.log(",
                      "ddpwatch explain DW101"):  # fmt: skip
            assert words in seen.text
        await seen.press("escape")
        assert "1 error" in seen.text


async def test_y_copies_the_fix() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("4", "enter", "y")
        assert seen.app.clipboard.startswith("self.val_f1 = MulticlassF1Score")


async def test_g_goes_to_the_key_or_else_to_the_metric() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("4", "down", "g")
        assert isinstance(seen.app.screen, LoggedScreen)
        assert seen.app.screen.grid.chosen.name == "val_precision"
        assert seen.view.key == snapshots.VALIDATE
    about = replace(diagnosed.findings()[0], key="val_metrics.recall", code="DW301")
    run = diagnosed.run(findings=(about,))
    async with watching(snapshots.snapshot(run)) as seen:
        await seen.press("4", "g")
        assert isinstance(seen.app.screen, MetricsScreen)
        assert seen.app.screen.grid.chosen.row.key.metric == "val_metrics.recall"


async def test_g_says_so_where_a_finding_is_about_no_row() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("4", "end", "g")
        assert seen.app.screen.TAB == "findings"
        assert [n.message for n in seen.app._notifications] == [
            "this finding is about the run, not about a row"
        ]


async def test_g_finds_a_key_by_its_plain_name_and_lifts_a_filter_that_hides_it() -> None:
    keys = tuple(
        replace(row, id=row.id._replace(name=f"{row.id.name}_epoch"), alias=row.id.name)
        for row in diagnosed.logged_rows()
    )
    run = diagnosed.run(logged=LoggedTable(snapshots.VALIDATE, 7, True, keys))
    async with watching(snapshots.snapshot(run)) as seen:
        await seen.press("2", "slash", *"recall", "enter", "4", "down", "g")
        await seen.pilot.pause()
        grid = seen.app.screen.grid
        assert (grid.chosen.name, grid.count()) == ("val_precision_epoch", 5)
        await seen.press("enter")
        assert "ddpwatch explain DW102" in seen.text


async def test_what_is_copied_cannot_act_on_a_shell() -> None:
    async with watching(diagnosed.hostile()) as seen:
        await seen.press("4", "enter", "y")
        assert "\x1b" not in seen.app.clipboard and seen.app.clipboard.startswith("␛[31m[/]")


async def test_the_tab_counts_within_its_mark_and_number_keys_work_everywhere() -> None:
    async with watching(diagnosed.wrong()) as seen:
        for key, name in zip("24351", ("Logged", "Findings", "Ranks", "Output", "Metrics"),
                             strict=True):  # fmt: skip
            await seen.press(key)
            assert name.lower() == seen.app.screen.TAB
            assert "4 Findings 3✗" in seen.lines[2]
            await seen.press("question_mark")
            assert f"Help: {name}" in seen.text
            await seen.press("escape")


async def test_a_filter_that_hides_all_findings_does_not_say_that_nothing_is_wrong() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("4", "slash", *"zzz", "enter")
        assert "no finding matches zzz" in seen.text
        assert "Nothing was found" not in seen.text and "Checked, from" not in seen.text


async def test_the_cursor_stays_on_its_finding_when_another_comes_above() -> None:
    found = diagnosed.findings()
    async with watching(snapshots.snapshot(diagnosed.run(findings=found[:2]))) as seen:
        await seen.press("4", "down")
        await seen.deliver(snapshots.snapshot(diagnosed.run(findings=found)))
        assert seen.app.screen.query_one(FindingList).chosen.code == "DW101"


async def test_nothing_wrong_is_said() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("4")
        assert "Nothing was found so far" in seen.text and "samples counted twice" in seen.text
        await seen.press("enter", "g")


async def test_filter() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("4", "slash", *"warning", "enter")
        assert "DW102" in seen.text and "DW203" not in seen.text


async def test_metrics_tell_the_finding_of_the_row_and_enter_explains_it() -> None:
    async with watching(diagnosed.wrong()) as seen:
        assert "DW105 checkpoint watches val_f1" in seen.text
        await seen.press("enter")
        assert "ddpwatch explain DW105" in seen.text
        assert "ddpwatch explain DW101" in "\n".join(
            "".join(s.text for s in line)
            for line in seen.app.screen.query_one("#explanation").lines
        )


async def test_the_samples_tell_how_they_were_dealt_out() -> None:
    async with watching(diagnosed.wrong()) as seen:
        assert seen.line_with("samples  ").rstrip().endswith("DW203")
        await seen.press("end")
        assert "DW203 ranks saw from 90 to 91 samples" in seen.text
        await seen.press("enter")
        assert "ddpwatch explain DW203" in seen.text


async def test_another_loaders_samples_do_not_speak_for_these() -> None:
    mine = next(f for f in diagnosed.findings() if f.code == "DW203")
    worse = replace(mine, severity="error", message="padded elsewhere")
    other = replace(worse, pass_key=diagnosed.VALIDATE._replace(dataloader=1))
    async with watching(snapshots.snapshot(diagnosed.run(findings=(other, mine)))) as seen:
        await seen.press("end")
        assert "DW203 ranks saw from 90 to 91 samples" in seen.text
        await seen.press("enter")
        assert "padded elsewhere" not in seen.text


async def test_another_loaders_metric_does_not_speak_for_this_one() -> None:
    mine = diagnosed.finding(
        "DW306", "warning", "t", "val_metrics.f1", "mine", pass_key=diagnosed.VALIDATE
    )
    other = replace(
        mine,
        severity="error",
        message="elsewhere",
        pass_key=diagnosed.VALIDATE._replace(dataloader=1),
    )
    async with watching(snapshots.snapshot(diagnosed.run(findings=(other, mine)))) as seen:
        assert "DW306 mine" in seen.text
        await seen.press("enter")
        assert "elsewhere" not in seen.text


async def test_metrics_open_classes_on_enter_where_nothing_is_wrong() -> None:
    async with watching(diagnosed.wrong()) as seen:
        before = seen.grid.count()
        await seen.press("down", "down", "enter")
        assert seen.grid.count() == before + 10


async def test_a_row_without_a_finding_points_to_the_list() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("down", "down")
        assert "4: why, and the fix" in seen.text
