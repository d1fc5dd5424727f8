"""Does the Logged screen show what every rank logged, and what it really is?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ddpwatch.board.snapshot import LoggedTable
from ddpwatch.tui.widgets.logged_model import key_entry
from tests.tui import diagnosed, snapshots
from tests.tui.watching import watching


async def test_every_key_has_its_reduction_its_true_value_and_its_gap() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("2")
        f1, precision = seen.line_with("val_f1"), seen.line_with("val_precision")
        assert "rank-local" in f1 and "0.871" in f1 and "+0.042 ≠" in f1 and "DW105" in f1
        assert "mean-of-batches" in precision and "DW102" in precision
        recall = seen.line_with("val_recall")
        assert "✓ state-reduced" in recall and "0.000 =" in recall
        assert "? unknown" in seen.line_with("cls_3")


async def test_a_rank_that_never_logged_a_key_is_a_hole_in_every_view() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("2")
        for _ in range(3):
            assert seen.line_with("cls_3").count("∅") == 2
            await seen.press("v")


async def test_v_goes_round_ended_calls_and_before() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("2")
        assert "0.904   " in seen.line_with("val_precision") and "ended with" in seen.text
        await seen.press("v")
        assert "#1 ×12" in seen.line_with("val_precision") and "calls" in seen.text
        await seen.press("v")
        assert "0.921" in seen.line_with("val_precision") and "before any sync" in seen.text


async def test_an_unfinished_pass_shows_what_ranks_hold_and_does_not_invent_an_end() -> None:
    row = diagnosed.logged_row("val_f1", "rank-local", snapshots.F1, (float("nan"),) * 4)
    table = LoggedTable(snapshots.VALIDATE, 7, False, (row,))
    async with watching(snapshots.snapshot(diagnosed.run(logged=table))) as seen:
        await seen.press("2")
        assert "after 8 batches" in seen.text
        assert "0.913" in seen.line_with("val_f1")
        await seen.press("v")
        assert seen.line_with("val_f1").count("…") == 4


def test_order_that_differs_between_ranks_stands_out() -> None:
    row = diagnosed.logged_row("a", "rank-local", (1.0, 1.0), (1.0, 1.0))
    row = replace(row, order=np.array([0, 1]))
    assert {calls_tone(row, rank) for rank in (0, 1)} == {"worst"}
    same = replace(row, order=row.order * 0)
    assert {calls_tone(same, rank) for rank in (0, 1)} == {"plain"}


def calls_tone(row, rank):
    return key_entry(row, "calls").cell(rank, 7)[1]


async def test_below_stands_all_that_is_known_of_the_key() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("2")
        for words in ("validation_step", "from a tensor", "sync_dist False",
                      "watched by checkpoint", "not synced",
                      "compared with val_metrics.f1 f1"):  # fmt: skip
            assert words in seen.text
        await seen.press("end")
        assert "never logged on rank 1,3" in seen.text


async def test_calls_on_loggers_say_what_was_written_and_what_was_thrown_away() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("2", "c")
        line = seen.line_with("f1/even")
        assert line.count("✓") == 1 and line.count("✗") == 3
        assert "written by rank 0, thrown away on rank 1-3" in seen.text
        await seen.press("c")
        assert "rank-local" in seen.text


async def test_enter_explains_the_findings_about_the_key() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("2", "enter")
        assert "ddpwatch explain DW105" in seen.text
        await seen.press("escape", "down", "down", "enter")
        assert "ddpwatch explain" not in seen.text


async def test_filter_keeps_keys_by_name_reduction_or_code() -> None:
    async with watching(diagnosed.wrong()) as seen:
        await seen.press("2", "slash", *"dw102", "enter")
        assert "val_precision" in seen.text and "val_recall" not in seen.text
        await seen.press("escape", "slash", *"zzz", "enter")
        assert "no line matches zzz" in seen.text


async def test_ranks_scroll_under_what_holds_for_all() -> None:
    async with watching(diagnosed.many_ranks()) as seen:
        await seen.press("2")
        assert "r0 " in seen.text and "»" in seen.text
        await seen.press(*["shift+right"] * 3)
        assert "«" in seen.text and "GLOBAL" in seen.text and "0.890" in seen.line_with("val_f1")


async def test_nothing_logged_is_said() -> None:
    async with watching(snapshots.digits()) as seen:
        await seen.press("2")
        assert "nothing has been logged in this pass" in seen.text
        await seen.press("c")
        assert "nothing has called a logger yet" in seen.text
