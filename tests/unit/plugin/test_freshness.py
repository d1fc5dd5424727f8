"""Updates since a pass began, from counts that resets take back."""

from __future__ import annotations

from ddpwatch_lightning.freshness import Freshness


def test_what_was_there_before_does_not_count() -> None:
    freshness = Freshness()
    freshness.begin(1, 5)
    assert freshness.observe(1, 5) == 0
    assert freshness.observe(1, 7) == 2


def test_a_drop_is_a_reset_and_counting_goes_on() -> None:
    freshness = Freshness()
    freshness.begin(1, 5)
    assert freshness.observe(1, 2) == 2
    assert freshness.observe(1, 3) == 3
    assert freshness.observe(1, 0) == 3
    assert freshness.observe(1, 1) == 4


def test_a_metric_that_appears_later_had_nothing_before() -> None:
    assert Freshness().observe(1, 3) == 3


def test_looking_twice_counts_once() -> None:
    freshness = Freshness()
    freshness.begin(1, 0)
    assert [freshness.observe(1, 2), freshness.observe(1, 2)] == [2, 2]
