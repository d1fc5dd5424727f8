"""Are states refused, in words, that are not what the class promises?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.errors import StateError
from ddpwatch.metrics.states import check_lengths, take, take_counts


def test_a_state_of_the_right_shape_is_taken():
    values = np.arange(6).reshape(2, 3)
    assert take({"tp": values}, "tp", (3,)) is values
    assert take({"tp": values}, "tp", (None,)) is values


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (np.zeros((2, 4)), r"state tp: expected \(3,\), got \(4,\)"),
        (np.zeros(2), r"expected \(3,\), got \(\)"),
        (np.zeros((2, 3, 3)), r"expected \(3,\), got \(3, 3\)"),
        (np.zeros(()), r"expected \(3,\)"),
        (np.array([["a"] * 3]), "expected an array of numbers, got '<U1'"),
        (np.zeros((2, 3), complex), "expected an array of numbers, got 'complex128'"),
        ([1, 2, 3], "expected an array of numbers, got 'list'"),
    ],
)
def test_another_state_is_refused(state, words):
    with pytest.raises(StateError, match=words):
        take({"tp": state}, "tp", (3,))


def test_a_missing_state_is_named_beside_those_that_came():
    with pytest.raises(StateError, match="expected a state tp, got 'confmat'"):
        take({"confmat": np.zeros(1)}, "tp", ())


def test_no_classes_at_all_are_refused():
    with pytest.raises(StateError, match=r"expected \(any,\), got \(0,\)"):
        take({"tp": np.zeros((2, 0))}, "tp", (None,))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.int64])
def test_whole_counts_become_int64(dtype):
    assert take_counts({"tp": np.ones((2, 1), dtype)}, "tp", (1,)).dtype == np.int64


def test_float_counts_keep_their_type_and_may_be_nan():
    came = take_counts({"tp": np.array([[np.nan]], np.float32)}, "tp", (1,))
    assert came.dtype == np.float32
    assert np.isnan(came).all()


@pytest.mark.parametrize("count", [-1, 2**61, 2**63 - 1])
def test_impossible_counts_are_refused(count):
    with pytest.raises(StateError, match="state tp: expected counts of"):
        take_counts({"tp": np.array([[3], [count]])}, "tp", (1,))


def test_states_of_different_numbers_of_ranks_are_refused():
    with pytest.raises(StateError, match="one number of ranks"):
        check_lengths({"tp": np.zeros((2, 1)), "fp": np.zeros((3, 1))})
    with pytest.raises(StateError, match="one number of ranks"):
        check_lengths({"value": np.zeros(())})
    check_lengths({"tp": np.zeros((2, 1)), "confmat": np.zeros((2, 3, 3))})
