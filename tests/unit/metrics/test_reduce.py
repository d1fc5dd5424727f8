"""Are states stacked and reduced as torchmetrics' own synchronisation does it?"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ddpwatch.errors import StateError
from ddpwatch.metrics.reduce import reduce_states, round_like, stack_states
from ddpwatch.wire.messages import ListSize, StateSpec, TrackedMetric
from tests.unit.metrics.declared import DATA_A, metric

F1 = metric("MulticlassF1Score", num_classes=3)


def one(reduction, dtype="", **spec):
    state = StateSpec(name="s", reduction=reduction, dtype=dtype, **spec)
    return TrackedMetric(path="m", cls="m", states=(state,))


def test_states_are_stacked_by_name_in_declared_order():
    stacked = stack_states(F1, DATA_A)
    assert list(stacked) == ["tp", "fp", "tn", "fn"]
    assert stacked["fp"].tolist() == [[1, 0, 0], [0, 1, 1]]


def test_scalars_and_matrices_are_stacked_too():
    scalars = [[np.full((), rank, np.float32)] for rank in range(3)]
    stacked = stack_states(one("sum"), scalars)["s"]
    assert (stacked.shape, stacked.dtype) == ((3,), np.float32)
    matrices = [[np.full((2, 2), rank)] for rank in range(3)]
    assert (
        stack_states(one("sum"), matrices)["s"].tolist()
        == np.stack([m[0] for m in matrices]).tolist()
    )


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ([], r"expected 1 states from every rank, got \[\]"),
        ([[np.zeros(1)], []], r"expected 1 states from every rank, got \[0, 1\]"),
        ([[np.zeros(3)], [np.zeros(4)]], r"one shape and dtype on all ranks, got \(3,\), \(4,\)"),
        ([[np.zeros(3)], [np.zeros(3, int)]], "dtype on all ranks, got float64, int64"),
        ([[ListSize(3, 12)]], "state s is not sent: it is too large"),
        ([[np.array(["x"])]], "expected an array of numbers"),
    ],
)
def test_what_cannot_be_stacked_is_said(states, words):
    with pytest.raises(StateError, match=words):
        stack_states(one("sum"), states)


OPERATIONS = {
    "sum": lambda x: torch.sum(x, dim=0),
    "mean": lambda x: torch.mean(x, dim=0),
    "max": lambda x: torch.max(x, dim=0).values,
    "min": lambda x: torch.min(x, dim=0).values,
}
FLOATS = st.floats(-1e6, 1e6, width=32)


@pytest.mark.parametrize("reduction", OPERATIONS)
@given(values=arrays(np.float32, (5, 3), elements=FLOATS))
def test_floats_reduce_as_in_torch(reduction, values):
    theirs = OPERATIONS[reduction](torch.from_numpy(values.copy())).numpy()
    ours = reduce_states(one(reduction), {"s": values})["s"]
    assert (ours.shape, ours.dtype) == ((1, 3), theirs.dtype)
    scale = float(np.abs(values).max())
    assert np.allclose(ours[0], theirs, rtol=1e-6, atol=1e-6 * scale)


@pytest.mark.parametrize("reduction", ["sum", "max", "min"])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.int64])
def test_whole_numbers_reduce_as_in_torch(reduction, dtype):
    values = np.array([[0, 1], [1, 1], [0, 0]]).astype(dtype)
    theirs = OPERATIONS[reduction](torch.from_numpy(values)).numpy()
    ours = reduce_states(one(reduction), {"s": values})["s"]
    assert ours.dtype == theirs.dtype
    assert ours[0].tolist() == theirs.tolist()


def test_thousands_of_single_precision_ranks_lose_nothing():
    values = np.full((2000, 1), 0.1, np.float32)
    exact = np.float32(np.float64(np.float32(0.1)) * 2000)
    assert reduce_states(one("sum"), {"s": values})["s"][0, 0] == exact


def test_a_mean_of_whole_numbers_is_refused_as_by_torch():
    values = np.ones((2, 1), np.int64)
    with pytest.raises(RuntimeError):
        torch.mean(torch.from_numpy(values), dim=0)
    with pytest.raises(StateError, match="expected a float state"):
        reduce_states(one("mean"), {"s": values})


@pytest.mark.parametrize(
    ("tracked", "words"),
    [
        (one("cat"), "state s is reduced by 'cat'"),
        (one("none"), "state s is reduced by 'none'"),
        (one("custom"), "state s is reduced by 'custom'"),
        (one("sum", is_list=True), "state s is a list"),
    ],
)
def test_other_reductions_are_refused(tracked, words):
    with pytest.raises(StateError, match=words):
        reduce_states(tracked, {"s": np.ones((2, 1))})


@pytest.mark.parametrize("stacked", [{}, {"s": np.zeros((0, 2))}, {"s": np.zeros(())}])
def test_nothing_to_reduce_is_refused(stacked):
    with pytest.raises(StateError, match="state s: expected"):
        reduce_states(one("max"), stacked)


@given(values=arrays(np.float32, 16, elements=st.floats(width=32)))
def test_bfloat16_rounds_as_in_torch(values):
    theirs = torch.from_numpy(values.copy()).bfloat16().float().numpy()
    assert np.array_equal(round_like("bfloat16", values), theirs, equal_nan=True)


def test_only_what_the_ranks_hold_as_bfloat16_is_rounded():
    values = np.array([257.0], np.float32)
    assert round_like("torch.bfloat16", values).tolist() == [256.0]
    assert round_like("float32", values) is values
    assert reduce_states(one("sum", "bfloat16"), {"s": values})["s"].tolist() == [256.0]
