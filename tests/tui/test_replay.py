"""Can a recording be steered from every screen, by key and by mouse, and keep one's place?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddpwatch.tui import verbs
from ddpwatch.tui.screens.place import PlaceScreen
from ddpwatch.tui.screens.watch_screen import WatchScreen
from ddpwatch.tui.widgets.scrub import ScrubBar
from tests.tui import diagnosed, replays, snapshots
from tests.tui.fake_controls import FakeControls
from tests.tui.replays import START
from tests.tui.test_sizes import SIZES, check
from tests.tui.watching import watching

ASKED = {
    "space": ("toggle",),
    "full_stop": ("step", 1),
    "comma": ("step", -1),
    "greater_than_sign": ("seek", START + 110),
    "less_than_sign": ("seek", START),
    "right_curly_bracket": ("seek", START + 115),
    "plus": ("speed", 16.0),
    "minus": ("speed", 4.0),
}


def replaying(snapshot=None, size=(120, 36)):
    return watching(snapshot or replays.snapshot(), size, FakeControls())


def asked(seen):
    return seen.app._controls.asked


@pytest.mark.parametrize("tab", "12345")
async def test_every_key_on_every_screen(tab) -> None:
    async with replaying() as seen:
        await seen.press(tab)
        for key, call in ASKED.items():
            await seen.press(key)
            assert asked(seen)[-1] == call
            await seen.deliver(replays.snapshot())
        assert len(asked(seen)) == len(ASKED)
        assert not seen.app.paused


async def test_keys_build_upon_each_other_before_a_snapshot_comes() -> None:
    async with replaying() as seen:
        await seen.press("plus", "plus", "greater_than_sign", "greater_than_sign")
        assert asked(seen) == [
            ("speed", 16.0), ("speed", 32.0), ("seek", START + 110), ("seek", START + 220),
        ]  # fmt: skip
        await seen.deliver(replays.snapshot(400))
        await seen.press("left_curly_bracket")
        assert asked(seen)[-1] == ("seek", START + 224)


async def test_a_live_run_has_none_of_these_keys() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("4", *ASKED, "space", "t", "colon")
        assert not seen.app.paused and isinstance(seen.app.screen, WatchScreen)
        assert all(verb.only != "replay" for verb in seen.app.screen.verbs())
        assert not seen.app.screen.query_one(ScrubBar).display
        await seen.press("space")
        assert seen.app.paused
        await seen.press("question_mark")
        assert "recording" not in "\n".join(
            "".join(span.text for span in line)
            for line in seen.app.screen.query_one("#help-lines").lines
        )


def test_no_two_verbs_of_a_screen_share_a_key() -> None:
    for name in ("METRICS", "LOGGED", "RANKS", "FINDINGS", "OUTPUT", "WAITING"):
        for replay in (True, False):
            there = verbs.applying(getattr(verbs, f"ON_{name}"), replay=replay)
            keys = [key for verb in there for key in verb.keys.split(",")]
            assert len(keys) == len(set(keys)), name


async def test_a_place_is_typed() -> None:
    async with replaying() as seen:
        await seen.press("colon", *"3:120", "enter")
        assert asked(seen) == [("jump", "3:120")]
        await seen.press("colon", "1", "escape")
        await seen.press("colon", "space", "enter")
        assert asked(seen) == [("jump", "3:120")]
        assert not isinstance(seen.app.screen, PlaceScreen)


async def test_t_goes_to_when_the_finding_was_found() -> None:
    async with replaying() as seen:
        await seen.press("4", "down", "t")
        assert asked(seen) == [("seek", snapshots.NOW - 10)]


async def test_a_click_on_the_track_goes_there_and_one_before_it_plays() -> None:
    async with replaying(size=(80, 24)) as seen:
        bar = seen.app.screen.query_one(ScrubBar)
        first, length = bar._line.first, bar._line.length
        await seen.pilot.click(bar, offset=(first, 0))
        await seen.pilot.click(bar, offset=(first + length - 1, 0))
        await seen.pilot.click(bar, offset=(1, 0))
        await seen.pilot.pause()
        assert asked(seen) == [("seek", START), ("seek", START + 465), ("toggle",)]


async def test_a_click_on_a_note_goes_nowhere() -> None:
    async with replaying(replays.damaged()) as seen:
        await seen.pilot.click(ScrubBar, offset=(40, 0))
        await seen.pilot.click(ScrubBar, offset=(40, 1))
        await seen.pilot.pause()
        assert len(asked(seen)) == 1


async def test_the_header_says_replay_and_when() -> None:
    async with replaying() as seen:
        assert "▶ replay" in seen.lines[0] and "2026-09-2" in seen.lines[0]
        assert "live" not in seen.lines[0] and "lag" not in seen.lines[0]
        await seen.deliver(replays.snapshot(465, paused=True, run=snapshots.ended().run))
        assert "‖ replay at the end  ■ ended" in seen.lines[0]


async def test_before_the_first_rank_one_can_go_on() -> None:
    async with replaying(replays.empty()) as seen:
        assert "no rank has come yet" in seen.text and "callbacks=" not in seen.text
        await seen.press("greater_than_sign", "space")
        assert asked(seen) == [("seek", START + 110), ("toggle",)]


async def test_help_has_the_keys_and_all_that_is_wrong_with_the_files() -> None:
    async with replaying(replays.damaged()) as seen:
        await seen.press("question_mark")
        lines = seen.app.screen.query_one("#help-lines").lines
        text = " ".join(" ".join(s.text.strip() for s in line) for line in lines)
        for words in ("cut short", "part 2 is damaged", "Keys of the recording", "faster"):
            assert words in text


async def test_the_palette_has_the_verbs_of_a_replay() -> None:
    async with replaying() as seen:
        titles = {c.title for c in seen.app.get_system_commands(seen.app.screen)}
        assert {"Play or pause", "Next finding", "Go to a place"} <= titles
        assert "Pause or go on" not in titles


async def test_going_back_and_forth_keeps_ones_place() -> None:
    async with replaying() as seen:
        await seen.press("down", "down", "left_square_bracket")
        row, view = seen.grid.chosen.key, seen.view
        first = snapshots.run(snapshots.table(snapshots.digit_rows()[:11]), passes=())
        for earlier in (replays.empty(), replays.snapshot(20, run=first), replays.empty()):
            await seen.deliver(earlier)
        await seen.deliver(replays.snapshot(62))
        assert seen.grid.chosen.key == row
        assert (seen.view.key, seen.view.row) == (view.key, view.row)
        assert "validate · epoch 2 is still to come, f follows" in seen.text


async def test_lists_keep_their_line_while_it_is_away() -> None:
    run = diagnosed.run()
    fewer = replace(run, findings=run.findings[2:], output=run.output[:1], ranks=run.ranks[:1])
    for tab, name in (("3", "RankList"), ("4", "FindingList"), ("5", "OutputList")):
        async with replaying() as seen:
            await seen.press(tab, "home", "down", "down")
            lines = seen.app.screen.query_one(name)
            chosen = lines.chosen
            await seen.deliver(replays.snapshot(20, run=fewer))
            await seen.deliver(replays.snapshot(10, run=fewer))
            await seen.deliver(replays.snapshot(62))
            assert lines.chosen == chosen, name


@pytest.mark.parametrize(
    "make", [replays.crowded, replays.damaged, replays.empty], ids=lambda make: make.__name__
)
async def test_every_window(make) -> None:
    async with replaying(make()) as seen:
        for keys in ((), ("2",), ("3",), ("4",), ("5",), ("colon",), ("escape", "question_mark")):
            await seen.press(*keys)
            for size in SIZES:
                await seen.resize(*size)
                check(seen, size)
                if keys and keys[0] in "2345" and make is not replays.empty:
                    assert "5:00 / 7:45" in seen.text or "3:44 / 7:45" in seen.text
