"""Ordinals, steps and samples of passes."""

from __future__ import annotations

from ddpwatch_lightning.passes import Ordinals, Pass


def test_each_stage_is_numbered_on_its_own() -> None:
    ordinals = Ordinals()
    numbers = [ordinals.next("train"), ordinals.next("validate"), ordinals.next("validate")]
    assert numbers == [0, 0, 1]
    assert ordinals.next("train") == 1


def test_samples_are_unknown_from_the_first_unknown_batch_on() -> None:
    at = Pass("train", 0, 0, (3,))
    seen = []
    for step, size in enumerate([4, None, 4]):
        at.step_ends(step, size, now=float(step))
        seen.append(at.samples)
    assert seen == [4, None, None]


def test_the_last_step_is_known_where_the_loader_has_a_length() -> None:
    at = Pass("validate", 0, 0, (2, None))
    at.step_ends(0, 4, now=0.0)
    assert not at.is_at_last
    at.step_ends(1, 4, now=1.0)
    assert at.is_at_last
    at.enter(1)
    at.step_ends(7, 4, now=2.0)
    assert at.steps is None
    assert not at.is_at_last


def test_a_loader_beyond_those_known_has_no_length() -> None:
    at = Pass("validate", 0, 0, ())
    at.enter(3)
    assert at.steps is None


def test_another_loader_is_counted_from_the_start() -> None:
    at = Pass("validate", 0, 0, (2, 2))
    at.step_ends(1, 4, now=0.0)
    at.enter(1)
    assert (at.loader, at.step, at.steps, at.batches, at.samples) == (1, -1, 2, 0, 0)


def test_step_time_contains_the_wait_for_the_batch() -> None:
    at = Pass("train", 0, 0, (9,))
    at.step_begins(now=1.0)
    at.step_ends(0, 4, now=3.0)
    assert (at.wait_seconds, at.step_seconds) == (None, 2.0)
    at.step_begins(now=3.5)
    at.step_ends(1, 4, now=5.0)
    assert (at.wait_seconds, at.step_seconds) == (0.5, 2.0)


def test_a_validation_in_between_is_no_wait() -> None:
    at = Pass("train", 0, 0, (9,))
    at.step_ends(0, 4, now=1.0)
    at.interrupted(now=100.0)
    at.step_begins(now=100.5)
    assert at.wait_seconds == 0.5


def test_a_position_does_not_change_any_more() -> None:
    at = Pass("train", 0, 0, (9,))
    at.step_ends(0, 4, now=1.0)
    position = at.position()
    at.step_ends(1, 4, now=2.0)
    assert (position.step, position.samples) == (0, 4)


def test_the_first_backward_of_a_step_counts() -> None:
    at = Pass("train", 0, 0)
    at.backward_begins(1.0)
    assert at.position().before_seconds is None
    at.step_begins(2.0)
    at.backward_begins(2.5)
    at.backward_begins(2.75)
    at.step_ends(0, 4, 3.0)
    assert at.position().before_seconds == 0.5
    at.step_begins(4.0)
    at.step_ends(1, 4, 5.0)
    assert at.position().before_seconds is None
