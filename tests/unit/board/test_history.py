"""Is what is kept of a long pass bounded, and still shared by ranks that thin it out apart?"""

from __future__ import annotations

from ddpwatch.board.history import POINTS, RECENT, Held, RankPass
from ddpwatch.wire.messages import State


def held(step: int, *, final: bool = False) -> Held:
    return Held(State(stage="train", pass_=0, epoch=0, step=step, final=final), "claim")


def filled(steps: range) -> RankPass:
    taken = RankPass()
    for step in steps:
        taken.add(held(step), 0)
    return taken


def test_long_pass_is_thinned_out_to_a_bounded_number_of_even_steps() -> None:
    taken = filled(range(100_000))
    assert len(taken.recent) == RECENT
    assert max(taken.recent) == 99_999
    assert POINTS // 2 <= len(taken.past) <= POINTS
    assert all(step % taken.stride == 0 for step in taken.past)


def test_ranks_that_publish_at_other_powers_of_two_keep_common_steps() -> None:
    every, fourth = filled(range(10_000)), filled(range(0, 10_000, 4))
    shared = set(every.past) & set(fourth.past)
    assert len(shared) >= POINTS // 4


def test_final_is_the_newest_and_stands_for_later_steps() -> None:
    taken = filled(range(3))
    taken.add(held(2, final=True), 7)
    assert taken.newest is taken.final
    assert taken.at(2) is taken.final
    assert taken.at(50) is taken.final
    assert taken.at(1) is taken.recent[1]


def test_earlier_journal_entry_does_not_replace_a_later_final() -> None:
    taken = RankPass()
    later, earlier = held(5, final=True), held(5, final=True)
    taken.add(later, 9)
    taken.add(earlier, 8)
    assert taken.final is later


def test_forgetting_the_past_keeps_the_final_and_never_the_only_state() -> None:
    finished, running = filled(range(5)), filled(range(5))
    finished.add(held(4, final=True), 1)
    finished.forget_past()
    running.forget_past()
    assert (finished.recent, finished.past) == ({}, {})
    assert finished.newest is finished.final
    assert running.newest is not None
    assert running.newest.state.step == 4
