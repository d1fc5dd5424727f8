"""Does the board know what is true, whatever order and gaps the messages come in?"""

from __future__ import annotations

import random

import numpy as np
import pytest

from ddpwatch.board.board import Board
from ddpwatch.board.snapshot import RowKey, View
from ddpwatch.wire.messages import Event, Progress, Pulse
from ddpwatch.wire.stamped import Rejected, Stamped, Tick
from tests.unit.board.builders import FakeRank, counts, multiclass

# Data A of the known situations: F1 .8222 and .4444, mean .6333, over all ranks .6794.
SHARDS = (([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2]))


def begun(world_size: int = 2, **hello: object) -> tuple[Board, list[FakeRank]]:
    board, ranks = Board(), [FakeRank(rank, world_size) for rank in range(world_size)]
    for rank in ranks:
        board.fold([rank.hello(**hello), rank.declare(multiclass("val_f1"))])
    return board, ranks


def f1(board: Board):  # type: ignore[no-untyped-def]
    table = board.snapshot(View()).run.table  # type: ignore[union-attr]
    return next(row for row in table.rows if row.key == RowKey("val_f1", "f1"))  # type: ignore[union-attr]


def test_global_is_reduced_from_states_and_mean_is_not() -> None:
    board, ranks = begun()
    for rank, (preds, target) in zip(ranks, SHARDS, strict=True):
        board.fold([rank.state(0, counts(preds, target), final=True)])
    row = f1(board)
    assert row.values == pytest.approx([0.8222, 0.4444], abs=1e-4)
    assert row.mean == pytest.approx(0.6333, abs=1e-4)
    assert row.global_ == pytest.approx(0.6794, abs=1e-4)
    assert row.gap == pytest.approx(row.mean - row.global_)
    assert row.samples.tolist() == [5, 4]


def test_lone_counts_metric_yields_precision_and_recall() -> None:
    board, ranks = begun()
    for rank, (preds, target) in zip(ranks, SHARDS, strict=True):
        board.fold([rank.state(0, counts(preds, target), final=True)])
    table = board.snapshot(View()).run.table  # type: ignore[union-attr]
    averaged = {r.key.score: (r.own, r.global_) for r in table.rows if r.label is None}  # type: ignore[union-attr]
    assert averaged["precision"] == (False, pytest.approx(0.6667, abs=1e-4))
    assert averaged["recall"] == (False, pytest.approx(0.7222, abs=1e-4))


def test_siblings_of_the_same_counts_do_not_repeat_each_other() -> None:
    board, ranks = Board(), [FakeRank(0, 1)]
    metrics = [multiclass(f"val.{n}", c) for n, c in (("f1", "MulticlassF1Score"),
               ("precision", "MulticlassPrecision"), ("recall", "MulticlassRecall"))]  # fmt: skip
    tensors = counts(*SHARDS[0])
    board.fold([ranks[0].hello(), ranks[0].declare(*metrics)])
    board.fold([ranks[0].state(0, tensors, tensors, tensors, final=True)])
    table = board.snapshot(View()).run.table  # type: ignore[union-attr]
    averaged = [(r.key.metric, r.key.score) for r in table.rows if r.label is None]  # type: ignore[union-attr]
    assert averaged == [("val.f1", "f1"), ("val.precision", "precision"), ("val.recall", "recall")]


def test_two_heads_with_other_counts_keep_their_own_derived_rows() -> None:
    board, rank = Board(), FakeRank(0, 1)
    board.fold([rank.hello(), rank.declare(multiclass("head_a"), multiclass("head_b"))])
    board.fold([rank.state(0, counts(*SHARDS[0]), counts(*SHARDS[1]), final=True)])
    table = board.snapshot(View()).run.table  # type: ignore[union-attr]
    derived = {(r.key.metric, r.key.score) for r in table.rows if r.label is None}  # type: ignore[union-attr]
    assert {("head_a", "precision"), ("head_b", "precision")} <= derived


def test_order_repeats_and_lost_messages_do_not_matter() -> None:
    messages: list[Stamped] = []
    for rank, (preds, target) in enumerate(SHARDS):
        fake = FakeRank(rank)
        messages += [fake.hello(), fake.declare(multiclass("val_f1"))]
        for step in range(len(preds)):
            seen = counts(preds[: step + 1], target[: step + 1])
            messages.append(fake.state(step, seen))
        messages.append(fake.state(len(preds) - 1, counts(preds, target), final=True))
    in_order = Board()
    in_order.fold(messages)
    expected = f1(in_order)
    for seed in range(50):
        rng = random.Random(seed)
        shuffled = [m for m in messages if m.envelope.journal or rng.random() < 0.5]
        shuffled += rng.sample(shuffled, 5)
        rng.shuffle(shuffled)
        board = Board()
        board.fold(shuffled)
        row = f1(board)
        assert (row.global_, row.mean) == (expected.global_, expected.mean)
        assert row.values.tolist() == expected.values.tolist()


def test_shared_step_is_the_newest_that_all_live_ranks_have() -> None:
    board, ranks = begun()
    for step in range(4):
        board.fold([ranks[0].state(step, counts([0] * (step + 1), [0] * (step + 1)))])
    for step in range(2):
        board.fold([ranks[1].state(step, counts([1] * (step + 1), [1] * (step + 1)))])
    table = board.snapshot(View()).run.table  # type: ignore[union-attr]
    assert (table.step, table.final, table.behind) == (1, False, frozenset({1}))  # type: ignore[union-attr]
    assert table.rank_steps.tolist() == [3, 1]  # type: ignore[union-attr]
    assert f1(board).samples.tolist() == [2, 2]


def test_rank_that_has_finished_shares_the_later_steps_of_others() -> None:
    board, ranks = begun()
    board.fold([ranks[1].state(1, counts([1, 1], [1, 1]), final=True)])
    for step in range(3):
        board.fold([ranks[0].state(step, counts([0] * (step + 1), [0] * (step + 1)))])
    table = board.snapshot(View()).run.table  # type: ignore[union-attr]
    assert (table.step, table.final) == (2, False)  # type: ignore[union-attr]
    assert f1(board).samples.tolist() == [3, 2]
    assert table.behind == frozenset()  # type: ignore[union-attr]


def test_no_global_while_a_rank_has_not_come() -> None:
    board, ranks = begun()
    board.fold([ranks[0].state(0, counts([0], [0]))])
    row = f1(board)
    assert (row.global_, row.mean) == (None, None)
    assert row.reason == "nothing yet from rank 1"
    assert row.present.tolist() == [True, False]


def test_no_global_where_no_step_is_shared() -> None:
    board, ranks = begun()
    board.fold([ranks[0].state(0, counts([0], [0])), ranks[1].state(1, counts([0, 1], [0, 1]))])
    assert f1(board).global_ is None
    assert f1(board).reason == "no step that all ranks share"


def test_silent_rank_is_left_out_and_named() -> None:
    board, ranks = begun()
    board.fold([ranks[1].state(0, counts([1], [1]), at=1.0)])
    for step in range(40):
        at = 1.0 + step
        board.fold([ranks[0].state(step, counts([0] * (step + 1), [0] * (step + 1)), at=at)])
    view = board.snapshot(View()).run
    assert view is not None and view.table is not None
    assert [rank.status for rank in view.ranks] == ["live", "silent"]
    assert view.table.note == "without rank 1"
    assert view.table.step == 39
    assert any("rank 1 silent for" in problem for problem in view.problems)


def test_step_that_a_dead_rank_shares_stays_in_view() -> None:
    board, ranks = begun()
    board.fold([ranks[1].state(1, counts([1, 1], [1, 1]), at=1.0)])
    for step in range(5):
        seen = counts([0] * (step + 1), [0] * (step + 1))
        board.fold([ranks[0].state(step, seen, at=1.0 + 5 * step)])
    table = board.snapshot(View()).run.table  # type: ignore[union-attr]
    assert (table.step, table.note) == (1, "")  # type: ignore[union-attr]


def test_rank_without_samples_shows_none_and_changes_nothing() -> None:
    board, ranks = begun()
    nothing = counts([], [])
    board.fold([ranks[0].state(0, counts(*SHARDS[0]), final=True, samples=5)])
    board.fold([ranks[1].state(-1, nothing, final=True, fresh=0, samples=0)])
    row = f1(board)
    assert row.global_ == pytest.approx(0.8222, abs=1e-4)
    assert row.present.tolist() == [True, False]
    assert row.samples.tolist() == [5, 0]
    assert row.mean == pytest.approx(0.8222, abs=1e-4)


def test_metric_that_nobody_updated_is_not_part_of_the_pass() -> None:
    board, ranks = begun(1)
    board.fold([ranks[0].state(0, counts([], []), fresh=0, final=True)])
    assert board.snapshot(View()).run.table.rows == ()  # type: ignore[union-attr]


def test_ranks_that_declare_a_metric_differently_get_no_global() -> None:
    board, ranks = Board(), [FakeRank(0), FakeRank(1)]
    board.fold([ranks[0].hello(), ranks[0].declare(multiclass("val_f1"))])
    board.fold([ranks[1].hello(), ranks[1].declare(multiclass("val_f1", average="micro", top_k=2))])
    for rank, shard in zip(ranks, SHARDS, strict=True):
        board.fold([rank.state(0, counts(*shard), final=True)])
    assert f1(board).global_ is None
    assert f1(board).reason == "rank 1 declares it differently"


def test_state_before_its_declaration_counts_once_that_has_come() -> None:
    board, rank = Board(), FakeRank(0, 1)
    late = rank.declare(multiclass("val_f1"))
    board.fold([rank.hello(), rank.state(0, counts(*SHARDS[0]), final=True)])
    assert board.snapshot(View()).run.table.rows == ()  # type: ignore[union-attr]
    board.fold([late])
    assert f1(board).global_ == pytest.approx(0.8222, abs=1e-4)


def test_later_final_of_a_pass_replaces_the_earlier_one() -> None:
    board, (rank,) = begun(1)
    first = rank.state(0, counts([0], [1]), final=True)
    second = rank.state(0, counts(*SHARDS[0]), final=True)
    board.fold([second, first])
    assert f1(board).global_ == pytest.approx(0.8222, abs=1e-4)


def test_second_living_claimant_is_a_conflict_and_never_merged() -> None:
    board, (rank,) = begun(1)
    rival = FakeRank(0, 1, claim="rival")
    board.fold([rank.state(0, counts([0], [0]), at=1.0)])
    board.fold([rival.hello(at=1.1), rival.state(0, counts([0], [1]), at=1.2, final=True)])
    view = board.snapshot(View()).run
    assert view is not None
    assert view.ranks[0].conflict
    assert f1(board).global_ == 1.0
    assert any("second living process" in problem for problem in view.problems)


def test_claimant_after_a_goodbye_opens_a_new_generation() -> None:
    board, (rank,) = begun(1)
    board.fold([rank.state(0, counts([0], [0]), at=1.0, final=True), rank.bye(at=1.0)])
    heir = FakeRank(0, 1, claim="heir")
    board.fold([heir.hello(at=2.0), heir.declare(multiclass("val_f1"), at=2.0)])
    board.fold([heir.state(0, counts([0], [1]), at=2.0, final=True)])
    view = board.snapshot(View()).run
    assert view is not None
    assert [key.generation for key in view.passes] == [0, 1]
    assert not view.ranks[0].conflict
    assert f1(board).global_ == 0.0
    late = rank.state(1, counts([0, 0], [0, 0]), at=3.0, final=True)
    board.fold([late])
    assert f1(board).global_ == 0.0


def test_rival_of_a_rank_that_fell_silent_is_taken_with_what_it_said_before() -> None:
    board, (rank,) = begun(1)
    board.fold([rank.state(0, counts([0], [0]), at=1.0)])
    heir = FakeRank(0, 1, claim="heir")
    board.fold([heir.hello(at=2.0), heir.declare(multiclass("val_f1"), at=2.0)])
    board.fold([heir.state(0, counts([0], [1]), at=15.0, final=True)])
    assert f1(board).global_ == 0.0


def test_frames_that_never_came_are_counted() -> None:
    board, (rank,) = begun(1)
    rank.seq += 3
    board.fold([rank.say(Pulse(hook="fit", since=0.0), at=1.0, journal=False)])
    assert board.snapshot(View()).run.ranks[0].missing == 3  # type: ignore[union-attr]


def test_rejected_frames_are_counted_by_kind() -> None:
    board = Board("tcp://127.0.0.1:7787")
    board.fold([Rejected(1.0, "malformed"), Rejected(1.0, "malformed"), Rejected(2.0, "unknown")])
    link = board.snapshot(View()).link
    assert link.rejected == {"malformed": 2, "unknown": 1}
    assert link.address == "tcp://127.0.0.1:7787"


def test_run_ends_three_seconds_after_the_last_goodbye() -> None:
    board, ranks = begun()
    board.fold([ranks[0].bye(at=5.0), ranks[1].bye(at=6.0), Tick(8.0)])
    assert not board.snapshot(View()).run.ended  # type: ignore[union-attr]
    board.fold([Tick(9.5)])
    assert board.snapshot(View()).run.ended  # type: ignore[union-attr]


def test_run_whose_ranks_are_silent_ends_after_ten_seconds() -> None:
    board, _ = begun()
    board.fold([Tick(9.0)])
    assert not board.snapshot(View()).run.ended  # type: ignore[union-attr]
    board.fold([Tick(11.0)])
    assert board.snapshot(View()).run.ended  # type: ignore[union-attr]


def test_exception_names_the_rank_that_failed() -> None:
    board, ranks = begun()
    event = Event(kind="exception", at=1.0, text="ValueError: boom\nmore")
    board.fold([ranks[1].say(event, at=1.0), ranks[1].bye(1.0, reason="exception")])
    view = board.snapshot(View()).run
    assert view is not None
    assert view.ranks[1].status == "failed"
    assert view.problems[0].startswith("rank 1 ended with ValueError: boom")


def test_progress_is_that_of_the_slowest_rank() -> None:
    board, ranks = begun()
    for rank, step in zip(ranks, (5, 2), strict=True):
        progress = Progress(stage="train", pass_=0, epoch=0, step=step, steps=10, step_time=0.5)
        board.fold([rank.say(progress, at=1.0, journal=False)])
    view = board.snapshot(View()).run
    assert view is not None
    (train,) = view.progress
    assert (train.step, train.steps, train.running) == (3, 10, True)
    assert view.steps_per_second == 2.0


def test_series_over_steps_and_over_epochs() -> None:
    board, ranks = begun()
    for epoch in range(3):
        for rank, (preds, target) in zip(ranks, SHARDS, strict=True):
            half = counts(preds[:2], target[:2])
            where = {"pass_": epoch, "epoch": epoch}
            board.fold([rank.state(0, half, **where)])  # type: ignore[arg-type]
            board.fold([rank.state(1, counts(preds, target), final=True, **where)])  # type: ignore[arg-type]
    steps = board.snapshot(View(over="steps")).run.series  # type: ignore[union-attr]
    assert steps is not None
    assert steps.x.tolist() == [0.0, 1.0]
    assert steps.global_[-1] == pytest.approx(0.6794, abs=1e-4)
    epochs = board.snapshot(View(over="epochs")).run.series  # type: ignore[union-attr]
    assert epochs is not None
    assert epochs.x.tolist() == [0.0, 1.0, 2.0]
    assert epochs.ranks.shape == (2, 3)
    assert epochs.global_ == pytest.approx([0.6794] * 3, abs=1e-4)


def test_series_leaves_out_steps_that_a_rank_passed_over_but_not_those_it_has_not_reached() -> None:
    board, ranks = begun()
    for step in (0, 1, 2, 3, 5):
        board.fold([ranks[0].state(step, counts([0], [0]))])
    for step in (0, 2, 3):
        board.fold([ranks[1].state(step, counts([1], [1]))])
    series = board.snapshot(View(over="steps")).run.series  # type: ignore[union-attr]
    assert series is not None
    assert series.x.tolist() == [0.0, 2.0, 3.0, 5.0]
    assert np.isnan(series.ranks[1]).tolist() == [False, False, False, True]
    assert np.isnan(series.global_).tolist() == [False, False, False, True]


def test_view_chooses_run_stage_and_pass() -> None:
    board = Board()
    for run in ("one", "two"):
        rank = FakeRank(0, 1, run=run)
        board.fold([rank.hello(), rank.declare(multiclass("f1"))])
        for stage in ("train", "validate"):
            board.fold([rank.state(0, counts([0], [0]), stage=stage, final=True)])
    assert board.snapshot(View()).run.run == "two"  # type: ignore[union-attr]
    chosen = board.snapshot(View(run="one", stage="train")).run
    assert chosen is not None and chosen.table is not None
    assert (chosen.run, chosen.table.key.stage) == ("one", "train")
    again = board.snapshot(View(run="one", key=chosen.passes[1])).run
    assert again is not None and again.table is not None
    assert again.table.key.stage == "validate"
    to_come = chosen.passes[0]._replace(epoch=9, pass_=9)
    instead = board.snapshot(View(run="one", key=to_come)).run
    assert instead is not None and instead.table is not None
    assert instead.table.key == chosen.passes[0]


def test_empty_board_has_nothing_to_show() -> None:
    snapshot = Board().snapshot(View())
    assert (snapshot.run, snapshot.runs) == (None, ())
