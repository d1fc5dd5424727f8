"""Can one choose among several runs?"""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from ddpwatch.tui.screens.runs import RunsScreen, run_line
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import snapshots
from tests.tui.watching import watching


async def test_choose_a_run() -> None:
    async with watching(snapshots.many_runs()) as seen:
        await seen.press("r")
        assert isinstance(seen.app.screen, RunsScreen)
        assert "sweep-lr-2" in seen.text and "■ ended" in seen.text and "2.2 h ago" in seen.text
        await seen.press("down", "enter")
        assert not isinstance(seen.app.screen, RunsScreen)
        assert seen.view.run == "000002"


async def test_leave_without_choosing() -> None:
    async with watching(snapshots.many_runs()) as seen:
        asked = len(seen.feed.views)
        await seen.press("r", "down", "escape")
        assert not isinstance(seen.app.screen, RunsScreen)
        assert len(seen.feed.views) == asked


async def test_the_list_is_live_and_keeps_its_cursor() -> None:
    async with watching(snapshots.many_runs(3)) as seen:
        await seen.press("r", "down")
        await seen.deliver(snapshots.many_runs(6))
        assert "sweep-lr-5" in seen.text
        await seen.press("enter")
        assert seen.view.run == "000002"


@pytest.mark.parametrize("width", [30, 48, 60, 90])
def test_lines_fit(width: int) -> None:
    for run in (*snapshots.hostile().runs, *snapshots.many_runs().runs):
        spans = run_line(run, snapshots.NOW, width)
        assert width_of(spans) == width
        assert all("\x1b" not in span.text and cell_len(span.text) for span in spans)
