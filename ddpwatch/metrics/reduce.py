"""How do the states of many ranks become one array per state, and one reduced state of all ranks?

The reductions are those of torchmetrics' own synchronisation: gather, stack, then one operation
over the new axis. Sums and means of floats are accumulated in double precision and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import cast

import numpy as np

from ddpwatch.errors import StateError
from ddpwatch.metrics import correlation
from ddpwatch.metrics.known import identify
from ddpwatch.metrics.states import Numbers, Stacked, check_numbers
from ddpwatch.wire.messages import ListSize, StateSpec, TrackedMetric

_SHAPE, _DTYPE = attrgetter("shape"), attrgetter("dtype")


def stack_states(
    metric: TrackedMetric, states: Sequence[Sequence[Numbers | ListSize]]
) -> dict[str, Numbers]:
    """Stack the states of N ranks, each in the order of `metric.states`, to arrays (N, ...).

    Raises:
        StateError: ranks differ in number, shape or dtype of states, or a state is not an array.
    """
    expected = len(metric.states)
    lengths = set(map(len, states))
    if lengths != {expected}:
        raise StateError(f"expected {expected} states from every rank, got {sorted(lengths)}")
    columns = zip(*states, strict=True)
    return {
        spec.name: _stack(spec.name, column)
        for spec, column in zip(metric.states, columns, strict=False)
    }


def reduce_states(metric: TrackedMetric, stacked: Stacked) -> dict[str, Numbers]:
    """Reduce N stacked states to one, (1, ...), each by the reduction that its class declares.

    Raises:
        StateError: a state is missing, or is reduced in a way that needs the ranks' own code.
    """
    known = identify(metric.base)
    with np.errstate(all="ignore"):
        if known is not None and known.family == "correlation":
            return correlation.merge(stacked)
        return {spec.name: _reduce(spec, stacked) for spec in metric.states}


def round_like(dtype: str, values: Numbers) -> Numbers:
    """Round to bfloat16, which travels as float32, where `dtype` says that the ranks hold that."""
    if not dtype.endswith("bfloat16") or values.dtype != np.float32:
        return values
    bits = np.ascontiguousarray(values).view(np.uint32)
    nearest_even = (bits + np.uint32(0x7FFF) + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(values), values, nearest_even.view(np.float32))


def _stack(name: str, column: tuple[Numbers | ListSize, ...]) -> Numbers:
    """Stack one state; sets and maps, as a loop over thousands of ranks would take milliseconds."""
    others = set(map(type, column)) - {np.ndarray}
    if others == {ListSize}:
        raise StateError(f"state {name} is not sent: it is too large, or its dtype cannot travel")
    if others:
        raise StateError(f"state {name}: expected an array, got {_listed(others)}")
    arrays = cast("tuple[Numbers, ...]", column)
    shapes, dtypes = set(map(_SHAPE, arrays)), set(map(_DTYPE, arrays))
    if len(shapes) > 1 or len(dtypes) > 1:
        kinds = _listed(shapes if len(shapes) > 1 else dtypes)
        raise StateError(f"state {name}: expected one shape and dtype on all ranks, got {kinds}")
    first = check_numbers(name, arrays[0])
    if first.ndim == 0:
        return np.array(arrays, dtype=first.dtype)
    return np.concatenate(arrays).reshape(len(arrays), *first.shape)


def _listed(things: Iterable[object]) -> str:
    """Name a few things in an error message."""
    names = sorted(thing.__name__ if isinstance(thing, type) else str(thing) for thing in things)
    return ", ".join(names[:4])


def _reduce(spec: StateSpec, stacked: Stacked) -> Numbers:
    operation = _OPERATIONS.get(spec.reduction)
    if operation is None or spec.is_list:
        how = "a list" if spec.is_list else f"reduced by {spec.reduction!r}"
        raise StateError(f"state {spec.name} is {how}: only sum, mean, max and min are known here")
    values = check_numbers(spec.name, stacked.get(spec.name))
    if values.ndim == 0 or len(values) == 0:
        raise StateError(f"state {spec.name}: expected at least one rank, got none")
    return round_like(spec.dtype, operation(values))


def _sum(values: Numbers) -> Numbers:
    """`torch.sum`: integers and booleans become int64."""
    if values.dtype.kind == "f":
        total: Numbers = values.sum(axis=0, keepdims=True, dtype=np.float64).astype(values.dtype)
    else:
        total = values.sum(axis=0, keepdims=True, dtype=np.int64)
    return total


def _mean(values: Numbers) -> Numbers:
    """`torch.mean`, which refuses integers: the ranks' own `compute()` fails there too."""
    if values.dtype.kind != "f":
        raise StateError(f"expected a float state for the reduction 'mean', got {values.dtype}")
    mean: Numbers = values.mean(axis=0, keepdims=True, dtype=np.float64).astype(values.dtype)
    return mean


_OPERATIONS: dict[str, Callable[[Numbers], Numbers]] = {
    "sum": _sum,
    "mean": _mean,
    "max": lambda values: values.max(axis=0, keepdims=True),
    "min": lambda values: values.min(axis=0, keepdims=True),
}
