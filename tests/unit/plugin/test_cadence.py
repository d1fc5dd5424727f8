"""The stride: a power of two, from step and copy times, that does not swing."""

from __future__ import annotations

import pytest

from ddpwatch_lightning.cadence import LARGEST, SHARE, SHORTEST, Cadence


def settled(step_seconds: float, copy_seconds: float = 0.0, steps: int = 400) -> Cadence:
    cadence = Cadence("auto")
    for _ in range(steps):
        cadence.note_copy(copy_seconds)
        cadence.note_step(step_seconds)
    return cadence


@pytest.mark.parametrize(
    ("step_seconds", "stride"), [(1.0, 1), (0.05, 1), (0.049, 2), (0.02, 4), (0.001, 64)]
)
def test_stride_is_the_least_power_of_two_that_keeps_states_apart(
    step_seconds: float, stride: int
) -> None:
    cadence = settled(step_seconds)
    assert cadence.stride == stride
    assert stride * step_seconds >= SHORTEST


def test_strides_nest_so_that_different_ranks_share_steps() -> None:
    fast, slow = settled(0.001), settled(0.02)
    due_on_fast = {step for step in range(1000) if fast.is_due(step)}
    due_on_slow = {step for step in range(1000) if slow.is_due(step)}
    assert due_on_fast
    assert due_on_fast < due_on_slow


def test_costly_copies_make_states_rarer() -> None:
    cadence = settled(0.1, copy_seconds=0.005)
    assert cadence.stride == 8
    assert 0.005 / (cadence.stride * 0.1) <= SHARE


def test_a_step_time_that_trembles_around_a_bound_does_not_make_the_stride_swing() -> None:
    cadence = settled(0.0249)
    strides = set()
    for step in range(400):
        cadence.note_step(0.0249 if step % 20 < 10 else 0.0262)
        strides.add(cadence.stride)
    assert len(strides) == 1


def test_stride_shrinks_when_steps_become_slow() -> None:
    cadence = settled(0.001)
    for _ in range(400):
        cadence.note_step(1.0)
    assert cadence.stride == 1


def test_stride_is_bounded_where_steps_take_no_time() -> None:
    assert settled(0.0, steps=100).stride == LARGEST


def test_a_number_given_is_kept_whatever_steps_take() -> None:
    cadence = Cadence(3)
    for _ in range(100):
        cadence.note_step(0.0001)
    assert [step for step in range(10) if cadence.is_due(step)] == [0, 3, 6, 9]
