"""Does who comes late know what all others know, then and from then on, and at what size?"""

from __future__ import annotations

import random

import pytest

from ddpwatch.board import history
from ddpwatch.board.board import Board
from ddpwatch.board.history import POINTS, RECENT
from ddpwatch.board.retained import Retained
from ddpwatch.board.snapshot import View
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.wire.messages import Output, Pulse, State
from ddpwatch.wire.stamped import Heard, Item, Rejected, Restart, Stamped, Tick
from tests.unit.board.builders import FakeRank, counts, multiclass
from tests.unit.board.chatter import Pace, chatter
from tests.unit.board.plain import pictures

ONE = counts([0, 1, 2], [0, 1, 1])


def board_of(*batches: list[Item]) -> Board:
    board = Board(diagnosis=Diagnosis(looks=False))
    for batch in batches:
        board.fold(batch)
    return board


def retained(items: list[Item]) -> list[Item]:
    memory = Retained()
    memory.take(items)
    return memory.items()


def assert_alike(items: list[Item], cut: int) -> None:
    """Whoever comes at `cut` sees the same, then and at the end."""
    told = retained(items[:cut])
    early, late = board_of(items[:cut]), board_of(told)
    assert pictures(late) == pictures(early)
    early.fold(items[cut:])
    late.fold(items[cut:])
    assert pictures(late) == pictures(early)


@pytest.mark.parametrize("seed", range(12))
def test_a_late_board_is_like_an_early_one(seed: int) -> None:
    items = chatter(seed, 300, runs=1 + seed % 2)
    assert_alike(items, random.Random(seed).randrange(len(items)))


def test_the_made_up_runs_have_restarts_and_rivals() -> None:
    ranks = [
        rank
        for seed in range(12)
        for run in board_of(chatter(seed, 300, runs=1 + seed % 2)).runs.values()
        for rank in run.ranks.values()
    ]
    assert any(rank.generation > 1 for rank in ranks)
    assert any(rank.rivals and rank.generation == 0 for rank in ranks)
    assert any(rank.missing for rank in ranks)


@pytest.mark.parametrize("seed", range(100, 108))
def test_also_where_the_past_is_thinned_out(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "POINTS", 8)
    items = chatter(seed, 500, pace=Pace(stride=1 + seed % 3, ends=1.0), runs=1)
    cut = len(items) // 2
    assert any(isinstance(item, Heard) and item.strides for item in retained(items[:cut]))
    assert_alike(items, cut)


def test_messages_that_are_left_out_are_not_called_missing() -> None:
    rank = FakeRank(0, 1)
    items: list[Item] = [rank.hello()]
    items += [rank.say(Pulse(hook="h", since=0.0), at, journal=False) for at in range(1, 50)]
    rank.seq += 3
    items.append(rank.say(Pulse(hook="h", since=0.0), 50.0, journal=False))
    run = board_of(retained(items)).snapshot(View()).run
    assert run is not None
    assert run.ranks[0].missing == 3


def test_of_an_open_pass_it_keeps_the_last_states_and_a_thinned_out_past() -> None:
    rank = FakeRank(0, 1)
    items: list[Item] = [rank.hello(), rank.declare(multiclass("f1"))]
    items += [rank.state(step, ONE, at=float(step)) for step in range(5000)]
    kept = [i for i in retained(items) if isinstance(i, Stamped)]
    states = [each for each in kept if isinstance(each.envelope.body, State)]
    assert RECENT < len(states) <= RECENT + POINTS


def test_of_passes_that_are_over_only_the_final_states_are_kept() -> None:
    rank = FakeRank(0, 1)
    items: list[Item] = [rank.hello(), rank.declare(multiclass("f1"))]
    for epoch in range(10):
        place = {"epoch": epoch, "pass_": epoch}
        items += [rank.state(step, ONE, **place) for step in range(100)]
        items.append(rank.state(99, ONE, final=True, **place))
    states = [
        item.envelope.body
        for item in retained(items)
        if isinstance(item, Stamped) and isinstance(item.envelope.body, State)
    ]
    assert [s.epoch for s in states if s.final] == list(range(10))
    assert {s.epoch for s in states if not s.final} == {8, 9}


def test_one_line_that_is_printed_often_is_told_once_with_its_number() -> None:
    rank = FakeRank(0, 1)
    line = Output(stream="stdout", text="again", at=1.0)
    items: list[Item] = [rank.say(line, float(at), journal=False) for at in range(500)]
    told = [item for item in retained(items) if isinstance(item, Stamped)]
    assert [each.times for each in told] == [500]


def test_it_begins_with_a_restart_and_ends_with_the_time() -> None:
    assert retained([Tick(3.0), Tick(5.0)]) == [Restart(5.0), Tick(5.0)]
    assert retained([Tick(9.0), Rejected(9.0, "x"), Restart(2.0)]) == [Restart(2.0), Tick(2.0)]
