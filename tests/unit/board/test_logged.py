"""Does the board know what was logged, printed and given to loggers, in bounded memory?"""

from __future__ import annotations

import random

import numpy as np
import pytest

from ddpwatch.board.board import Board
from ddpwatch.board.output import MOST_LINES
from ddpwatch.board.snapshot import LoggedTable, RunView, View
from ddpwatch.wire.messages import Emitted, Logged, LoggedKey, LoggerCall, Output, Pulse
from tests.unit.board.builders import FakeRank


def key(calls: int, value: float, **more: object) -> LoggedKey:
    known = {"hook": "training_step", "name": "loss", "on_step": True, "on_epoch": True}
    sums = {"weighted_sum": calls * value * 2, "weight": calls * 2.0, "last": value}
    return LoggedKey(**{**known, **sums, "calls": calls, **more})  # type: ignore[arg-type]


def logged(step: int, value: float, *, final: bool = False, **more: object) -> Logged:
    ended = [("loss_step", "step", value), ("loss_epoch", "epoch", value)] if final else []
    emitted = tuple(Emitted(key=0, name=n, kind=k, value=v) for n, k, v in ended)  # type: ignore[arg-type]
    keys = (key(step + 1, value, **more),)
    return Logged(stage="train", pass_=0, epoch=0, step=step, final=final, keys=keys,
                  emitted=emitted)  # fmt: skip


def begun() -> tuple[Board, list[FakeRank]]:
    board, ranks = Board(), [FakeRank(rank) for rank in range(2)]
    board.fold([rank.hello() for rank in ranks])
    return board, ranks


def view(board: Board) -> RunView:
    found = board.snapshot(View()).run
    assert found is not None
    return found


def table(board: Board) -> LoggedTable:
    found = view(board).logged
    assert found is not None
    return found


def test_names_fork_and_values_come_before_the_end() -> None:
    board, ranks = begun()
    board.fold([rank.say(logged(1, 0.5 + rank.rank)) for rank in ranks])
    found = table(board)
    assert [row.id.name for row in found.rows] == ["loss_step", "loss_epoch"]
    assert [row.alias for row in found.rows] == ["loss", "loss"]
    assert not found.final
    for row in found.rows:
        assert row.local == pytest.approx([0.5, 1.5])
        assert not row.ended.any()
        assert np.isnan(row.ranks).all()
        assert row.calls.tolist() == [2, 2]


def test_names_of_dataloaders() -> None:
    board, ranks = begun()
    board.fold([ranks[0].say(logged(0, 0.5, dataloader=1))])
    names = [row.id.name for row in table(board).rows]
    assert names == ["loss_step/dataloader_idx_1", "loss_epoch/dataloader_idx_1"]


def test_rank_that_did_not_log_a_key_is_a_hole() -> None:
    board, ranks = begun()
    board.fold([ranks[0].say(logged(0, 0.5))])
    row = table(board).rows[0]
    assert row.called.tolist() == [True, False]
    assert row.order.tolist() == [0, -1]
    assert np.isnan(row.local[1])


def test_order_and_repeats_do_not_matter_and_a_final_stays() -> None:
    board, ranks = begun()
    messages = [
        rank.say(logged(step, float(step + rank.rank), final=step == 3))
        for rank in ranks
        for step in range(4)
    ]
    random.Random(3).shuffle(messages)
    board.fold(messages + messages[::-1])
    found = table(board)
    assert found.final
    assert [row.ranks.tolist() for row in found.rows] == [[3.0, 4.0], [3.0, 4.0]]
    assert all(row.ended.all() for row in found.rows)


def test_table_is_made_anew_only_when_something_came() -> None:
    board, ranks = begun()
    board.fold([ranks[0].say(logged(0, 0.5))])
    first = view(board)
    assert view(board).logged is first.logged
    assert view(board).table is first.table
    board.fold([ranks[0].say(logged(1, 0.5))])
    assert view(board).logged is not first.logged


def output(text: str, at: float = 0.0, **more: object) -> Output:
    return Output(stream="stdout", text=text, at=at, stage="train", **more)  # type: ignore[arg-type]


def test_the_same_line_of_several_ranks_is_one() -> None:
    board, ranks = begun()
    board.fold([ranks[1].say(output("hello", 2.0)), ranks[0].say(output("hello", 1.0))])
    board.fold([ranks[0].say(output("hello", 3.0)), ranks[0].say(output("hello", hook="other"))])
    first, second = view(board).output
    assert (first.ranks, first.count, first.at) == ((0, 1), 3, 1.0)
    assert second.hook == "other"


def test_lines_are_bounded_and_drops_are_counted() -> None:
    board, ranks = begun()
    board.fold([ranks[0].say(output(str(n)), journal=False) for n in range(MOST_LINES + 10)])
    board.fold([r.say(Pulse(hook="", since=0.0, output_dropped=4)) for r in ranks])
    found = view(board)
    assert len(found.output) == MOST_LINES
    assert found.output[0].text == "10"
    assert found.output_dropped == 8


def test_calls_on_loggers_by_tag() -> None:
    board, ranks = begun()
    for rank in ranks:
        for step, value in enumerate((0.5, 0.25)):
            call = LoggerCall(logger="L", method="add_scalar", name="f1", value=value, step=step,
                              written=rank.rank == 0, stage="train")  # fmt: skip
            board.fold([rank.say(call)])
    (row,) = view(board).logger_rows
    assert row.calls.tolist() == [2, 2]
    assert row.values.tolist() == [0.25, 0.25]
    assert row.steps.tolist() == [1, 1]
    assert row.written.tolist() == [True, False]
