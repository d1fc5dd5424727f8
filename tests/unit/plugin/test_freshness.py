"""Updates since a pass began, from counts that resets take back."""

from __future__ import annotations

from ddpwatch_lightning.freshness import Freshness


def fresh(freshness: Freshness, keys: tuple[int, ...], *counts: int) -> list[int]:
    offsets = freshness.observe(keys, list(counts))
    return [count - offset for count, offset in zip(counts, offsets, strict=True)]


def test_what_was_there_before_does_not_count() -> None:
    freshness, keys = Freshness(), (1, 2)
    freshness.begin(keys, [5, 0])
    assert fresh(freshness, keys, 5, 3) == [0, 3]
    assert fresh(freshness, keys, 7, 3) == [2, 3]


def test_a_drop_is_a_reset_and_counting_goes_on() -> None:
    freshness, keys = Freshness(), (1,)
    freshness.begin(keys, [5])
    assert [fresh(freshness, keys, count) for count in (2, 3, 0, 1)] == [[2], [3], [3], [4]]


def test_a_metric_that_appears_later_had_nothing_before() -> None:
    assert fresh(Freshness(), (1,), 3) == [3]


def test_looking_twice_counts_once() -> None:
    freshness, keys = Freshness(), (1,)
    freshness.begin(keys, [0])
    assert [fresh(freshness, keys, 2), fresh(freshness, keys, 2)] == [[2], [2]]


def test_what_is_known_of_a_metric_survives_looks_at_others() -> None:
    freshness = Freshness()
    freshness.begin((1, 2), [5, 7])
    assert fresh(freshness, (1, 2), 6, 2) == [1, 2]
    assert fresh(freshness, (2,), 3) == [3]
    assert fresh(freshness, (3, 1), 4, 1) == [4, 2]


def test_offsets_that_were_returned_do_not_change_any_more() -> None:
    freshness, keys = Freshness(), (1,)
    freshness.begin(keys, [5])
    before = freshness.observe(keys, [6])
    freshness.observe(keys, [1])
    assert list(before) == [5]


def test_what_another_pass_adds_or_resets_within_this_one_is_left_out() -> None:
    """Validation within a training epoch: one metric is training's, one its own, one is shared."""
    freshness, keys = Freshness(), (1, 2, 3)
    freshness.begin(keys, [0, 5, 0])
    assert fresh(freshness, keys, 4, 5, 4) == [4, 0, 4]
    freshness.leave_out(keys, [4, 9, 0])
    assert fresh(freshness, keys, 6, 9, 1) == [6, 0, 5]
