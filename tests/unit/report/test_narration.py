"""Is every finished pass and every rank in trouble told, once?"""

from __future__ import annotations

from ddpwatch.board.board import Board
from ddpwatch.report.narration import Narrator
from ddpwatch.wire.messages import Event
from ddpwatch.wire.stamped import Stamped, Tick
from tests.unit.board.builders import FakeRank, counts, multiclass

SHARDS = (([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2]))


def pass_end(rank: FakeRank, epoch: int = 0, at: float = 1.0) -> Stamped:
    return rank.say(Event(kind="pass_end", at=at, stage="validate", pass_=epoch, epoch=epoch), at)


def begun() -> tuple[Board, list[FakeRank], Narrator]:
    board, ranks = Board(), [FakeRank(0), FakeRank(1)]
    for rank in ranks:
        board.fold([rank.hello(), rank.declare(multiclass("val_f1"))])
    return board, ranks, Narrator()


def test_pass_is_told_once_when_the_last_rank_has_closed_it() -> None:
    board, ranks, narrator = begun()
    assert list(narrator.news(board)) == ["run toy has begun on 2 ranks"]
    for rank, shard in zip(ranks, SHARDS, strict=True):
        board.fold([rank.state(0, counts(*shard), final=True, samples=len(shard[0]))])
    board.fold([pass_end(ranks[0])])
    assert list(narrator.news(board)) == []
    board.fold([pass_end(ranks[1])])
    (line,) = narrator.news(board)
    assert line.startswith("validate epoch 0  val_f1 0.679 (mean of ranks 0.633)")
    assert line.endswith("9 samples")
    assert list(narrator.news(board)) == []


def test_silence_return_and_failure_of_a_rank_are_told_once_each() -> None:
    board, ranks, narrator = begun()
    list(narrator.news(board))
    board.fold([ranks[0].say(Event(kind="note", at=4.0), 4.0), Tick(4.0)])
    assert list(narrator.news(board)) == ["rank 1 is silent"]
    assert list(narrator.news(board)) == []
    board.fold([ranks[1].say(Event(kind="note", at=5.0), 5.0)])
    assert list(narrator.news(board)) == ["rank 1 is heard again"]
    board.fold([ranks[1].say(Event(kind="exception", at=5.5, text="ValueError: \x1b[0m"), 5.5)])
    (line,) = narrator.news(board)
    assert line.startswith("rank 1 failed: ValueError")
    assert "\x1b" not in line


def test_pass_is_told_although_a_rank_died_in_it() -> None:
    board, ranks, narrator = begun()
    list(narrator.news(board))
    board.fold([ranks[0].state(0, counts(*SHARDS[0]), final=True), pass_end(ranks[0])])
    board.fold([ranks[0].say(Event(kind="note", at=5.0), 5.0)])
    told = list(narrator.news(board))
    assert "rank 1 is silent" in told
    assert any(line.endswith("without rank 1") for line in told)


def test_end_of_a_run_is_yielded_once() -> None:
    board, ranks, narrator = begun()
    board.fold([rank.bye(1.0) for rank in ranks])
    assert list(narrator.ended(board)) == []
    board.fold([Tick(5.0)])
    assert [run.run for run in narrator.ended(board)] == ["r"]
    assert list(narrator.ended(board)) == []
