"""Does the app start, pause, fail and end as it should, by key and by palette?"""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from ddpwatch.tui.app import WatchApp
from ddpwatch.tui.screens.watch_screen import WatchScreen
from ddpwatch.tui.theme import DDPWATCH
from tests.tui import snapshots
from tests.tui.fake_feed import FakeFeed
from tests.tui.watching import watching


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_quit(key: str) -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.pilot.press(key)
        await seen.pilot.pause()
        assert not seen.app.is_running
    assert (seen.feed.started, seen.feed.stopped) == (1, 1)
    assert (seen.app.return_value, seen.app.return_code) == (None, 0)


async def test_ctrl_c_quits_while_typing_too() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("slash", "a")
        await seen.pilot.press("ctrl+c")
        await seen.pilot.pause()
        assert not seen.app.is_running


async def test_a_failed_feed_ends_the_app_with_a_text() -> None:
    async with watching(snapshots.digits()) as seen:
        seen.feed.failed(OSError("the socket went away"))
        await seen.pilot.pause()
    assert seen.app.return_value == "the source of the display failed: the socket went away"
    assert seen.app.return_code == 1
    assert seen.feed.stopped == 1


async def test_a_feed_fails_with_a_silent_error() -> None:
    async with watching() as seen:
        seen.feed.failed(KeyError())
        await seen.pilot.pause()
    assert seen.app.return_value == "the source of the display failed: KeyError"


async def test_snapshots_come_from_another_thread() -> None:
    async with watching() as seen:
        thread = threading.Thread(target=seen.feed.deliver, args=(snapshots.digits(),))
        thread.start()
        thread.join()
        await seen.pilot.pause()
        await seen.pilot.pause()
        assert "0.871" in seen.text


async def test_pause_holds_the_display_and_says_how_old_it_is() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("space")
        assert "‖ paused" in seen.lines[0]
        later = snapshots.row("val_metrics.f1", "f1", (0.5,) * 4, 0.555)
        newer = snapshots.snapshot(snapshots.run(snapshots.table([later])), at=snapshots.NOW + 12)
        await seen.deliver(newer)
        assert "0.871" in seen.text and "0.555" not in seen.text
        assert "paused, 12 s behind" in seen.lines[0]
        asked = len(seen.feed.views)
        await seen.press("s", "o", "left_square_bracket")
        assert len(seen.feed.views) == asked
        await seen.press("e")
        assert seen.grid.count() == 15
        await seen.press("space")
        assert len(seen.feed.views) > asked
        await seen.deliver(newer)
        assert "0.555" in seen.text and "paused" not in seen.lines[0]


async def test_there_is_nothing_to_pause_before_the_first_snapshot() -> None:
    async with watching() as seen:
        await seen.press("space")
        assert not seen.app.paused


async def test_pausing_lasts_across_screens() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("space", "3")
        assert "‖ paused" in seen.lines[0]


async def test_screens_behind_a_dialog_follow() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("question_mark")
        await seen.deliver(snapshots.snapshot(replace(snapshots.run(), ended=True)))
        await seen.press("escape")
        assert "■ ended" in seen.lines[0]


async def test_every_verb_is_in_the_palette() -> None:
    async with watching(snapshots.digits()) as seen:
        for key in "12345":
            await seen.press(key)
            screen = seen.app.screen
            assert isinstance(screen, WatchScreen)
            titles = {command.title for command in seen.app.get_system_commands(screen)}
            missing = {verb.title for verb in screen.verbs()} - titles
            assert missing == {"Palette"}


async def test_the_palette_carries_out_a_verb() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("ctrl+p", *"chart over")
        await seen.app.workers.wait_for_complete()
        await seen.press("down", "enter")
        await seen.pilot.pause()
        assert seen.view.over == "epochs"


async def test_themes() -> None:
    async with watching(snapshots.digits()) as seen:
        assert seen.app.theme == DDPWATCH.name
        for name in ("textual-light", "nord", "ansi-dark", "gruvbox"):
            if name in seen.app.available_themes:
                seen.app.theme = name
                await seen.pilot.pause()
                assert "0.871" in seen.text


async def test_the_timer_asks_for_the_view() -> None:
    feed = FakeFeed(snapshots.digits())
    asked = threading.Event()
    feed.request = lambda view: (feed.views.append(view), len(feed.views) > 3 and asked.set())
    app = WatchApp(feed, refresh_hz=200)
    async with app.run_test() as pilot:
        while not asked.is_set():
            await pilot.pause()
    assert feed.views[-1].run is None
