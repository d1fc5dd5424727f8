"""Does the Ranks screen list every rank, and tell all about one?"""

from __future__ import annotations

from ddpwatch.tui.screens.ranks import RankList
from tests.tui import snapshots
from tests.tui.watching import watching


async def test_ranks_and_back() -> None:
    async with watching(snapshots.silent()) as seen:
        await seen.press("3")
        for words in ("● live", "○ silent", "✗ failed", "node0:2", "4102", "cuda:1"):
            assert words in seen.text
        await seen.press("1")
        assert "GLOBAL" in seen.text


async def test_details_follow_the_cursor() -> None:
    async with watching(snapshots.silent()) as seen:
        await seen.press("3", "down", "down")
        assert "dist.all_reduce(x)" in seen.text
        assert "3 lost on the way" in seen.text
        await seen.press("end")
        assert "RuntimeError: CUDA out of memory" in seen.text


async def test_the_cursor_stays_on_its_rank() -> None:
    async with watching(snapshots.many_ranks()) as seen:
        await seen.press("3", "end")
        ranks = seen.app.screen.query_one(RankList)
        assert ranks.chosen is not None and ranks.chosen.rank == 1_999
        assert " 1999 " in seen.text
        await seen.deliver(snapshots.many_ranks(1_500))
        assert ranks.chosen is not None and ranks.chosen.rank == 1_499


async def test_filter_on_ranks() -> None:
    async with watching(snapshots.silent()) as seen:
        await seen.press("3", "slash", *"silent", "enter")
        ranks = seen.app.screen.query_one(RankList)
        assert [info.rank for info in ranks.ranks] == [2]
        await seen.press("escape")
        assert ranks.count() == 4


async def test_help_is_that_of_this_screen() -> None:
    async with watching(snapshots.silent()) as seen:
        await seen.press("3", "question_mark")
        assert "Help: Ranks" in seen.text
        assert "it has said goodbye" in seen.text
