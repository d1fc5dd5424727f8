"""Does the Output screen show who prints what, and follow the newest line?"""

from __future__ import annotations

from ddpwatch.board.snapshot import OutputLine
from ddpwatch.tui.screens.output import OutputList
from tests.tui import diagnosed, snapshots
from tests.tui.watching import watching


def printed(number):
    lines = tuple(
        OutputLine(float(place), (0,), "stdout", f"line {place}", "train", 0, "training_step")
        for place in range(number)
    )
    return snapshots.snapshot(diagnosed.run(output=lines))


async def test_a_line_of_all_ranks_is_one_line_that_names_them() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("5")
        assert "0-3 ×4" in seen.line_with("epoch 3: f1 0.913")
        assert "0 ×3" in seen.line_with("only rank 0 says this")
        assert "err" in seen.line_with("no positive samples")
        await seen.press("home", "down")
        assert "ranks 0-3 printed this in on_validation_epoch_end, 4 times" in seen.text
        assert "every rank runs this hook" in seen.text


async def test_the_newest_line_is_followed_until_one_goes_up() -> None:
    async with watching(printed(50)) as seen:
        await seen.press("5")
        assert "line 49" in seen.text and "follows the newest" in seen.text
        await seen.deliver(printed(60))
        assert "line 59" in seen.text
        await seen.press("up")
        await seen.deliver(printed(200))
        lines = seen.app.screen.query_one(OutputList)
        assert lines.chosen.text == "line 58" and "held, f follows" in seen.text
        await seen.press("f")
        assert "line 199" in seen.text


async def test_the_wheel_leaves_the_newest_line_and_end_comes_back() -> None:
    async with watching(printed(200)) as seen:
        await seen.press("5")
        lines = seen.app.screen.query_one(OutputList)
        lines.scroll_to(y=20, animate=False)
        await seen.pilot.pause()
        assert "held, f follows" in seen.text
        await seen.deliver(printed(300))
        assert "line 20 " in seen.text and "line 299" not in seen.text
        await seen.press("f")
        assert "line 299" in seen.text and "follows the newest" in seen.text
        await seen.press("up", "end")
        await seen.deliver(printed(301))
        assert "line 300" in seen.text


async def test_lines_say_when() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("5")
        assert seen.line_with("only rank 0 says this").split()[:3] == ["3:16", "0", "×3"]


async def test_filter_by_words_and_by_rank() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("5", "slash", *"rank:2", "enter")
        assert "no positive" in seen.text and "only rank 0" not in seen.text
        await seen.press("escape", "slash", *"only", "enter")
        assert "1 match only" in seen.text


async def test_dropped_lines_are_counted() -> None:
    run = diagnosed.run(output_dropped=1234)
    async with watching(snapshots.snapshot(run)) as seen:
        await seen.press("5")
        assert "1,234 came too fast and were dropped" in seen.text


async def test_nothing_printed_is_said() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("5")
        assert "no rank has printed anything yet" in seen.text
