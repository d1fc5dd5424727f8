"""Is a run's speed that of its training alone, and unknown where it is not told?"""

from __future__ import annotations

import random

import pytest

from ddpwatch.report.pace import Pace, Stopwatch
from ddpwatch.wire.messages import State
from ddpwatch.wire.stamped import Item, Tick
from tests.unit.board.builders import FakeRank
from tests.unit.report.recordings import event


def last_step(rank: FakeRank, step: int, pass_: int) -> Item:
    return rank.say(State(stage="train", pass_=pass_, epoch=pass_, step=step, final=True))


def epochs(rank: FakeRank, count: int = 2) -> list[Item]:
    """Epochs of 10 s, of which the last 2 s are validation; 40 steps each."""
    items: list[Item] = [Tick(0.0)]
    for number in range(count):
        begin = 20.0 * number
        items += [
            event(rank, "pass_begin", "train", number, begin),
            event(rank, "pass_begin", "validate", number, begin + 8),
            event(rank, "pass_end", "validate", number, begin + 10),
            last_step(rank, 39, number),
            event(rank, "pass_end", "train", number, begin + 10),
        ]
    return items


def test_validation_is_part_of_an_epoch_and_not_of_the_speed() -> None:
    stopwatch = Stopwatch()
    items = [item for rank in range(2) for item in epochs(FakeRank(rank))]
    random.Random(1).shuffle(items)
    stopwatch.fold(items)
    assert stopwatch.pace("r") == pytest.approx((5.0, 10.0))


def test_what_has_no_end_does_not_count() -> None:
    stopwatch = Stopwatch()
    stopwatch.fold([*epochs(FakeRank(0), 1), event(FakeRank(0), "pass_begin", "train", 1, 99.0)])
    assert stopwatch.pace("r") == pytest.approx((5.0, 10.0))


def test_processes_of_a_restarted_rank_have_clocks_of_their_own() -> None:
    stopwatch = Stopwatch()
    again = FakeRank(0, claim="again")
    stopwatch.fold([*epochs(FakeRank(0), 1), *epochs(again, 1)])
    assert stopwatch.pace("r") == pytest.approx((5.0, 10.0))


def test_nothing_is_made_up() -> None:
    assert Stopwatch().pace("r") == Pace(None, None)
    stopwatch = Stopwatch()
    rank = FakeRank(0)
    stopwatch.fold([event(rank, "pass_begin", "train", 0, 0.0)])
    stopwatch.fold([event(rank, "pass_end", "train", 0, 4.0)])
    assert stopwatch.pace("r") == Pace(None, 4.0)
