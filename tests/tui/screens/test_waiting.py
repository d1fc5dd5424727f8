"""Does one learn what to do while no rank has come?"""

from __future__ import annotations

from dataclasses import replace

from ddpwatch.board.snapshot import LinkInfo
from ddpwatch.tui.app import WatchApp
from ddpwatch.tui.screens.waiting import waiting_lines
from ddpwatch.tui.widgets.tones import width_of
from tests.tui import snapshots
from tests.tui.fake_feed import FakeFeed
from tests.tui.watching import watching


async def test_what_to_type_is_said() -> None:
    async with watching(snapshots.waiting()) as seen:
        for words in (
            "◌ waiting for ranks",
            snapshots.ADDRESS,
            "from ddpwatch_lightning import DDPWatch",
            "callbacks=[DDPWatch()]",
        ):
            assert words in seen.text
        assert "DDPWATCH=" not in seen.text


async def test_another_address_is_to_be_given() -> None:
    async with watching(snapshots.waiting("tcp://127.0.0.1:9999"), (60, 20)) as seen:
        assert "DDPWATCH=tcp://127.0.0.1:9999" in seen.text


def test_a_long_address_is_broken_and_not_cut() -> None:
    address = "ipc:///" + "long/" * 19
    lines = ["".join(span.text for span in line) for line in waiting_lines(address, 56)]
    assert address in "".join(line.removeprefix("  ") for line in lines)
    assert all(width_of(line) <= 56 for line in waiting_lines(address, 56))


async def test_where_there_is_no_hub_to_look_on_through_that_is_said() -> None:
    lost = replace(snapshots.waiting(), link=LinkInfo("tcp://127.0.0.1:9999", live=False))
    async with watching(lost) as seen:
        assert "Waiting for a hub at" in seen.text
        assert "ddpwatch serve --bind tcp://127.0.0.1:9999" in seen.text
        await seen.deliver(snapshots.waiting())
        assert "Waiting for ranks" in seen.text


async def test_the_first_rank_ends_the_waiting() -> None:
    async with watching(snapshots.waiting()) as seen:
        await seen.deliver(snapshots.digits())
        assert "GLOBAL" in seen.text
        await seen.deliver(snapshots.waiting())
        assert "Waiting for ranks" in seen.text


async def test_nothing_delivered_yet_is_waiting_too() -> None:
    async with watching(None) as seen:
        assert "Waiting for ranks" in seen.text
        await seen.press("question_mark")
        assert "Help: Waiting" in seen.text


async def test_what_is_known_to_come_is_said_instead() -> None:
    app = WatchApp(FakeFeed(snapshots.waiting()), refresh_hz=1e-3, waiting="The demo is starting.")
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.pause()
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
    assert "The demo is starting." in text
    assert "callbacks=" not in text
