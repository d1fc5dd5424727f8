"""Is every reduction recovered from the numbers, and never a wrong one named?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.board.reduction import Facts, decide, exact_mean, floored_mean

VALUES = st.floats(0.0625, 100.0, width=32)
RANKS = st.integers(2, 4).flatmap(
    lambda n: st.tuples(
        st.lists(VALUES, min_size=n, max_size=n),
        st.lists(st.integers(1, 40), min_size=n, max_size=n),
    )
)


def facts(local: Any, value: Any, weight: Any = None, **more: Any) -> Facts:
    own = np.array(local, dtype=np.float64)
    n = len(own)
    weights = np.array([1.0] * n if weight is None else weight, dtype=np.float64)
    known: dict[str, Any] = {
        "kind": "epoch",
        "local": own,
        "value": np.full(n, value) if np.ndim(value) == 0 else np.array(value, dtype=np.float64),
        "called": np.ones(n, dtype=bool),
        "calls": np.full(n, 3.0),
        "weighted_sum": own * weights,
        "weight": weights,
        "final": True,
        "size": float(np.abs(own).max()),
    }
    return Facts(**{**known, **more})


def synced(local: Any, value: Any, weight: Any = None, **more: Any) -> Facts:
    return facts(local, float(np.float32(value)), weight, syncs=True, **more)


@given(RANKS)
def test_weighted_mean_and_its_floored_twin_are_told_apart(ranks: Any) -> None:
    local, weight = ranks
    bare = facts(local, 0.0, weight)
    exact, floored = exact_mean(bare), floored_mean(bare)
    apart = not bare.agreement.same(exact, floored)
    assert decide(synced(local, exact, weight)).reduction == "mean-of-batches"
    expected = "mean-of-batches-floored" if apart else "mean-of-batches"
    assert decide(synced(local, floored, weight)).reduction == expected


@given(RANKS, st.sampled_from(["sum", "max", "min"]))
def test_operations_over_ranks_are_recovered(ranks: Any, fx: str) -> None:
    local, weight = ranks
    value = {"sum": sum, "max": max, "min": min}[fx](local)
    assert decide(synced(local, value, weight, reduce_fx=fx)).reduction == f"{fx}-of-ranks"


@given(RANKS)
def test_a_steps_mean_does_not_weigh(ranks: Any) -> None:
    local, weight = ranks
    found = decide(synced(local, np.mean(local), weight, kind="step"))
    assert found.reduction == "mean-of-ranks"


@given(RANKS)
def test_one_value_from_each_rank_is_a_mean_of_ranks(ranks: Any) -> None:
    local, _ = ranks
    found = decide(synced(local, np.mean(local), per_batch=False, calls=np.ones(len(local))))
    assert found.reduction == "mean-of-ranks"


@given(RANKS)
def test_what_nobody_synced_is_the_ranks_own_where_they_differ(ranks: Any) -> None:
    local, weight = ranks
    reduction = decide(facts(local, local, weight)).reduction
    differ = not facts(local, local).agreement.all_same(local)
    assert reduction == ("rank-local" if differ else "unknown")


@given(RANKS, VALUES)
def test_a_number_that_fits_nothing_is_unknown(ranks: Any, other: float) -> None:
    local, weight = ranks
    candidates = [*local, *(f(facts(local, 0.0, weight)) for f in (exact_mean, floored_mean))]
    candidates += [float(np.mean(local)), *(f(local) for f in (sum, max, min))]
    bare = facts(local, 0.0, weight)
    value = other + 1000.0
    if not any(bare.agreement.same(value, c) for c in candidates if not math.isnan(c)):
        assert decide(synced(local, value, weight)).reduction == "unknown"
        assert decide(facts(local, [value] * len(local), weight)).reduction == "unknown"


@given(RANKS, VALUES)
def test_a_value_that_all_ranks_hold_is_global_only_where_it_is(ranks: Any, value: float) -> None:
    own, _ = ranks
    n = len(own)
    bare = facts([value] * n, [value] * n)
    found = decide(
        facts([value] * n, [value] * n, global_=value, own=np.array(own), mean=float(np.mean(own)))
    )
    trivial = bare.agreement.all_same([*own, value])
    assert found.reduction == ("rank-local" if trivial else "state-reduced")
    elsewhere = decide(facts([value] * n, [value] * n, global_=value + 1.0, own=np.array(own)))
    assert elsewhere.reduction == "unknown"


@pytest.mark.parametrize("fx", ["mean", "max", "min"])
def test_reduced_once_more_is_told_from_a_mean_over_which_ranks_agree(fx: str) -> None:
    """A computed value and a mean are alike on all ranks; before the sync they were not."""
    own = np.array([0.8222, 0.4444])
    again = synced([0.6794] * 2, 0.6794, [4, 4], reduce_fx=fx, global_=0.6794, own=own)
    assert decide(again).reduction == "state-reduced"
    averaged = synced([0.7333, 0.4444], 0.58885, [4, 4], global_=0.6349, own=own)
    assert decide(averaged).reduction == "mean-of-batches"


def test_metric_objects() -> None:
    nan = [np.nan, np.nan]
    metric = {"is_metric": True, "metric": "f1"}
    assert decide(facts(nan, 0.68, **metric, global_=0.68)).reduction == "state-reduced"
    assert decide(facts(nan, 0.68, **metric)).reduction == "state-reduced"
    assert decide(facts(nan, 0.68, **metric, global_=0.7)).reduction == "unknown"
    assert decide(facts(nan, [0.8, 0.4], **metric)).reduction == "rank-local"
    assert decide(facts(nan, 0.8, **metric, metric_syncs=False)).reduction == "rank-local"
    assert decide(facts(nan, 0.8, **metric, kind="step")).reduction == "rank-local"
    step = decide(facts(nan, 0.8, **metric, kind="step", step_syncs=True))
    assert step.reduction == "state-reduced"


def test_averaged_states_of_a_metric_of_ones_own_are_named() -> None:
    found = decide(facts([np.nan] * 2, 0.63, is_metric=True, states="its state f1 averaged"))
    assert found.reduction == "state-reduced"
    assert "its state f1 averaged" in found.basis


def test_sync_that_was_dropped_on_the_way() -> None:
    assert decide(facts([1.0, 2.0], [1.0, 2.0], syncs=True)).reduction == "rank-local"
    assert decide(facts([1.0, 2.0], [1.0, 3.0], syncs=True)).reduction == "unknown"


def test_key_of_some_ranks_only() -> None:
    some = {"called": np.array([True, False])}
    alone = [1.0, np.nan]
    assert decide(facts(alone, alone, **some)).reduction == "rank-local"
    assert decide(facts(alone, alone, **some, syncs=True)).reduction == "unknown"


def test_hand_made_mean_of_the_ranks() -> None:
    own = np.array([0.8, 0.4])
    found = decide(facts([0.6, 0.6], [0.6, 0.6], global_=0.7, own=own, mean=0.6))
    assert found.reduction == "mean-of-ranks"


def test_one_process() -> None:
    assert decide(facts([0.5], [0.5])).reduction == "mean-of-batches"
    assert decide(facts([0.5], [0.5], kind="step")).reduction == "rank-local"
    assert decide(facts([0.5], [0.5], is_metric=True)).reduction == "state-reduced"
    computed = decide(
        facts([0.5], [0.5], global_=0.5, per_batch=False, calls=np.ones(1), metric="f1")
    )
    assert computed.reduction == "state-reduced"


def test_nothing_is_settled_before_the_end() -> None:
    for n in (2, 3):
        early, none = {"final": False}, [np.nan] * n
        local = np.arange(1.0, n + 1)
        assert decide(facts(local, none, **early)).reduction == "rank-local"
        assert decide(facts(local, none, **early, syncs=True)).reduction == "mean-of-batches"
        assert decide(facts([1.0] * n, none, **early)).reduction == "unknown"


def test_not_a_number_everywhere_is_still_a_mean() -> None:
    found = decide(synced([np.nan, 1.0], np.nan, [2, 2], size=1.0))
    assert found.reduction == "mean-of-batches"
