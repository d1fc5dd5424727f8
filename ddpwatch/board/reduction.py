"""How did a logged value come about? Decided from what was asked for and from the numbers.

Neither is enough alone: a value from `compute()` is a plain tensor, not synced, and yet global; two
reductions may give the same number. Where both leave more than one answer, none is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ddpwatch.board.agreement import Agreement
from ddpwatch.board.snapshot import BoolArray, FloatArray, Reduction


class Decision(NamedTuple):
    """A reduction, and in a few words what it was decided from."""

    reduction: Reduction
    basis: str


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known of one emitted name; arrays are indexed by rank, NaN where unknown.

    `local` is what each rank held before any sync, `value` what it ended with. `weighted_sum`
    and `weight` are sums of value x batch size and of batch sizes over its calls, `calls` their
    number, `size` the largest magnitude of a single value. `global_` is the value over all ranks
    of the metric that the key belongs to, `own` the ranks' own values of it and `mean` their mean;
    None where there is none or the pass is not over. `by_origin` says that the tensor is proven to
    be that metric's `compute()`, which reduced its states if `metric_syncs`.
    """

    kind: str
    local: FloatArray
    value: FloatArray
    called: BoolArray
    calls: FloatArray
    weighted_sum: FloatArray
    weight: FloatArray
    final: bool
    size: float = 0.0
    is_metric: bool = False
    metric_syncs: bool = True
    step_syncs: bool = False
    syncs: bool = False
    reduce_fx: str = "mean"
    group: str = ""
    per_batch: bool = True
    by_origin: bool = False
    metric: str = ""
    states: str = ""
    global_: float | None = None
    own: FloatArray | None = None
    mean: float | None = None

    @property
    def world_size(self) -> int:
        """The number of ranks."""
        return len(self.called)

    @property
    def agreement(self) -> Agreement:
        """How closely two of these numbers have to agree to be the same."""
        return Agreement(float(np.nanmax(self.calls, initial=0.0)), self.size)


def decide(facts: Facts) -> Decision:
    """Return the reduction; `unknown` where settings and numbers do not settle it."""
    if facts.world_size == 1:
        return _alone(facts)
    if facts.is_metric:
        return _metric_object(facts)
    missing = [str(rank) for rank in np.flatnonzero(~facts.called)]
    if missing and facts.final:
        return _on_some(facts, ", ".join(missing))
    if not facts.final or bool(np.isnan(facts.value).all() and np.isnan(facts.local).all()):
        return _expected(facts)
    if facts.syncs:
        return _synced(facts)
    return _unsynced(facts)


def exact_mean(facts: Facts) -> float:
    """The batch-size-weighted mean over all ranks, NaN where no weight is known."""
    weight = float(facts.weight.sum())
    return float(facts.weighted_sum.sum()) / weight if weight > 0 else np.nan


def floored_mean(facts: Facts) -> float:
    """The same with the averaged weight cut to an integer, as Lightning does; NaN if that is 0."""
    ranks = facts.world_size
    weight = np.floor(float(facts.weight.sum()) / ranks)
    return float(facts.weighted_sum.sum()) / ranks / weight if weight > 0 else np.nan


def _alone(facts: Facts) -> Decision:
    if facts.is_metric or facts.by_origin:
        return Decision("state-reduced", f"one process; from the states of {facts.metric}")
    value = facts.value[0] if not np.isnan(facts.value[0]) else facts.local[0]
    if facts.kind == "epoch" and facts.reduce_fx == "mean":
        equal = facts.global_ is not None and facts.agreement.same(value, facts.global_)
        if equal and facts.calls[0] == 1 and not facts.per_batch:
            return Decision("state-reduced", f"one process; equals the value of {facts.metric}")
        return Decision("mean-of-batches", "one process; a mean of what was logged")
    return Decision("rank-local", "one process")


def _metric_object(facts: Facts) -> Decision:
    if facts.kind == "epoch":
        return _metric_epoch(facts)
    if facts.step_syncs:
        return Decision("state-reduced", "metric object with dist_sync_on_step")
    return Decision("rank-local", "metric object: its step value is this rank's batch alone")


def _metric_epoch(facts: Facts) -> Decision:
    if not facts.metric_syncs:
        return Decision("rank-local", "metric object with sync_on_compute=False")
    ended = facts.value[~np.isnan(facts.value)]
    if not facts.final or not len(ended):
        return Decision("state-reduced", "metric object; the numbers come with the pass's end")
    agreement = facts.agreement
    if not agreement.all_same(ended):
        return Decision("rank-local", "metric object, but the ranks ended with different values")
    if facts.global_ is None:
        more = f"; {facts.states}" if facts.states else "; not recomputed here"
        return Decision("state-reduced", f"metric object, the same on all ranks{more}")
    if agreement.same(ended[0], facts.global_):
        return Decision("state-reduced", "metric object, equal to the value from all states")
    return Decision("unknown", "metric object, but not the value its states reduce to")


def _on_some(facts: Facts, missing: str) -> Decision:
    if not facts.syncs:
        return Decision("rank-local", f"not synced, and not logged on rank {missing}")
    return Decision("unknown", f"synced, but not logged on rank {missing}")


def _expected(facts: Facts) -> Decision:
    """What the settings alone promise, before the numbers are there."""
    if facts.by_origin and facts.metric_syncs and not facts.syncs:
        return Decision("state-reduced", f"from compute() of {facts.metric}")
    known = facts.local[~np.isnan(facts.local)]
    if not facts.syncs:
        if len(known) > 1 and facts.agreement.all_same(known):
            return Decision("unknown", "not synced, and so far the same on all ranks")
        return Decision("rank-local", "not synced")
    promised = _PROMISED.get(facts.reduce_fx)
    if facts.reduce_fx == "mean" and facts.kind == "epoch":
        promised = "mean-of-batches"
    if promised is None:
        return Decision("unknown", f"reduced by {facts.reduce_fx}, which is not known here")
    return Decision(promised, "by its settings; the numbers come with the pass's end")


def _unsynced(facts: Facts) -> Decision:
    agreement = facts.agreement
    held = np.where(np.isnan(facts.value), facts.local, facts.value)
    both = ~np.isnan(facts.value) & ~np.isnan(facts.local)
    if not all(map(agreement.same, facts.value[both], facts.local[both])):
        return Decision("unknown", "not synced, yet it ended with another value than was logged")
    if not agreement.all_same(held):
        return Decision("rank-local", "not synced, and the ranks differ")
    return _shared(facts, float(held[0]))


def _shared(facts: Facts, value: float) -> Decision:
    """What a value may be that all ranks hold without a sync."""
    found = _as_global(facts, value)
    agreement = facts.agreement
    if found is not None:
        return found
    if facts.mean is not None and agreement.same(value, facts.mean):
        return Decision("mean-of-ranks", f"equals the mean of the ranks' own {facts.metric}")
    if facts.by_origin and facts.per_batch and facts.calls.max() > 1:
        return Decision("mean-of-batches", f"a mean of running values of {facts.metric}")
    if facts.by_origin and facts.metric_syncs and facts.global_ is None:
        return Decision("state-reduced", f"from compute() of {facts.metric}, the same on all ranks")
    return Decision(
        "unknown", "not synced, yet the same on all ranks; logging a metric object would tell why"
    )


def _as_global(facts: Facts, value: float) -> Decision | None:
    """Whether a value that all ranks hold without a sync is their metric's value over all ranks."""
    agreement = facts.agreement
    if facts.global_ is None or not agreement.same(value, facts.global_):
        return None
    trivial = facts.own is not None and agreement.all_same([*facts.own, facts.global_])
    if trivial and not facts.by_origin:
        return Decision("rank-local", f"not synced; every rank's own {facts.metric} is the same")
    return Decision("state-reduced", f"equals {facts.metric} over all ranks, on every rank")


def _synced(facts: Facts) -> Decision:
    agreement = facts.agreement
    ended = facts.value[~np.isnan(facts.value)]
    if not len(ended):
        return _expected(facts)
    if not agreement.all_same(ended):
        if all(map(agreement.same, facts.value, facts.local)):
            return Decision("rank-local", "synced by its settings, but each rank kept its own")
        return Decision("unknown", "synced by its settings, but the ranks ended apart")
    value = float(ended[0])
    if facts.reduce_fx == "mean" and facts.kind == "epoch":
        found = _as_mean(facts, value)
    else:
        found = _as_operation(facts, value)
    if found is not None:
        return found
    if facts.global_ is not None and agreement.same(value, facts.global_):
        return Decision("state-reduced", f"equals {facts.metric} over all ranks")
    within = f" within group {facts.group}" if facts.group else ""
    return Decision("unknown", f"synced by {facts.reduce_fx}{within}, but not equal to it")


def _as_mean(facts: Facts, value: float) -> Decision | None:
    agreement = facts.agreement
    exact, floored = exact_mean(facts), floored_mean(facts)
    if not agreement.same(exact, floored) and agreement.same(value, floored):
        factor = floored / exact if exact else np.nan
        return Decision("mean-of-batches-floored", f"weighted mean, times {factor:.4g}")
    if agreement.same(value, exact):
        if _was_global(facts):
            return Decision("state-reduced", f"{facts.metric} over all ranks, averaged once more")
        single = not facts.per_batch and bool((facts.calls == 1).all())
        if single and agreement.all_same(facts.weight):
            return Decision("mean-of-ranks", "synced; one value from each rank")
        return Decision("mean-of-batches", "synced; equals the weighted mean over all batches")
    if agreement.same(value, float(facts.local.mean())):
        return Decision("mean-of-ranks", "equals the plain mean of what the ranks held")
    return None


def _as_operation(facts: Facts, value: float) -> Decision | None:
    """A sum, minimum or maximum over the ranks, or the plain mean of a step's values."""
    operation = _OPERATIONS.get(facts.reduce_fx)
    if operation is None or not facts.agreement.same(value, operation(facts.local)):
        return None
    if facts.reduce_fx != "sum" and _was_global(facts):
        return Decision("state-reduced", f"{facts.metric} over all ranks, reduced once more")
    words = f"synced; equals the {facts.reduce_fx} of what the ranks held"
    return Decision(_PROMISED[facts.reduce_fx], words)


def _was_global(facts: Facts) -> bool:
    """Whether every rank held the value over all ranks already, before the sync."""
    agreement = facts.agreement
    if not agreement.all_same(facts.local):
        return False
    if facts.global_ is None:
        return facts.by_origin and facts.metric_syncs
    if not agreement.same(float(facts.local[0]), facts.global_):
        return False
    return (
        facts.by_origin or facts.own is None or not agreement.all_same([*facts.own, facts.global_])
    )


_PROMISED: dict[str, Reduction] = {
    "mean": "mean-of-ranks",
    "sum": "sum-of-ranks",
    "max": "max-of-ranks",
    "min": "min-of-ranks",
}
_OPERATIONS: dict[str, Callable[[FloatArray], float]] = {
    "mean": lambda values: float(values.mean()),
    "sum": lambda values: float(values.sum()),
    "max": lambda values: float(values.max()),
    "min": lambda values: float(values.min()),
}
