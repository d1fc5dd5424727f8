"""Is every screen readable in every window, and harmless whatever the names are?"""

from __future__ import annotations

import unicodedata

import pytest
from rich.cells import cell_len

from tests.tui import diagnosed, snapshots
from tests.tui.watching import watching

SIZES = [(200, 60), (120, 36), (80, 24), (60, 20), (50, 12)]
MAKERS = [
    snapshots.digits,
    snapshots.many_ranks,
    snapshots.odd_values,
    snapshots.hostile,
    snapshots.long_names,
    snapshots.ended,
    snapshots.silent,
    snapshots.many_runs,
    snapshots.aggregates,
    snapshots.waiting,
]
DIAGNOSED = [diagnosed.wrong, diagnosed.hostile, diagnosed.many_ranks]
DIAGNOSED_KEYS = (
    ("1", "enter"), ("2",), ("2", "v", "v"), ("2", "c"), ("4",), ("4", "enter"), ("5", "home")
)  # fmt: skip
KEYS = ((), ("e",), ("3",), ("question_mark",), ("r",), ("g",), ("slash", "f"))


def check(seen, size) -> None:
    lines = seen.lines
    assert len(lines) == size[1]
    assert {cell_len(line) for line in lines} == {size[0]}
    bad = {c for line in lines for c in line if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co"}}
    assert not bad


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
async def test_every_window(make) -> None:
    async with watching(make(), (200, 60)) as seen:
        for turn, keys in enumerate(KEYS):
            await seen.press("escape", "1", *keys)
            for size in (SIZES[turn % 3], SIZES[3 + turn % 2]):
                await seen.resize(*size)
                check(seen, size)


@pytest.mark.parametrize("make", DIAGNOSED, ids=lambda make: make.__name__)
async def test_every_window_of_a_diagnosed_run(make) -> None:
    async with watching(make(), (200, 60)) as seen:
        for turn, keys in enumerate(DIAGNOSED_KEYS):
            await seen.press("escape", *keys)
            for size in (SIZES[turn % 3], SIZES[3 + turn % 2]):
                await seen.resize(*size)
                check(seen, size)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20)])
async def test_what_was_logged_is_in_every_window(size) -> None:
    async with watching(diagnosed.wrong(), size) as seen:
        for words in ("GLOBAL", "0.871", "logged", "0.913", "+0.042 ≠", "DW105", "? help"):
            assert words in seen.text


@pytest.mark.parametrize("size", SIZES)
async def test_the_essential_is_in_every_window(size) -> None:
    async with watching(snapshots.digits(), size) as seen:
        for words in ("digits-cnn", "● live", "0.913", "GLOBAL", "0.871", "+0.021 ≠", "q quit"):
            assert words in seen.text


async def test_the_chart_gives_way_to_the_table() -> None:
    async with watching(snapshots.digits(), (80, 24)) as seen:
        assert "└" in seen.text
        await seen.resize(80, 14)
        assert "└" not in seen.text
        assert "recall" in seen.text
        await seen.resize(80, 24)
        assert "└" in seen.text


async def test_a_window_too_small_says_so_and_recovers() -> None:
    async with watching(snapshots.many_ranks(), (120, 36)) as seen:
        await seen.resize(30, 8)
        assert "window too small" in seen.text
        assert "30x8, needs 50x12" in seen.text
        assert "GLOBAL" not in seen.text
        await seen.press("g", "e", "3", "1", "slash", "escape")
        await seen.resize(80, 24)
        assert "GLOBAL" in seen.text


async def test_hostile_names_are_seen_and_not_obeyed() -> None:
    async with watching(snapshots.hostile()) as seen:
        await seen.press("e")
        assert "␛[31m[/][bold]\\u202eevil\\u200b\\x9b2J␊" in seen.text
        plain = snapshots.digits()
        rows = [line.rindex("GLOBAL") for line in seen.lines if "rank 0" in line and "mean" in line]
        await seen.deliver(plain)
        same = [line.rindex("GLOBAL") for line in seen.lines if "rank 0" in line and "mean" in line]
        assert rows == same
        await seen.press("3")
        await seen.deliver(snapshots.hostile())
        check(seen, (120, 36))
