"""Are these the states that the metric's class and parameters promise?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ddpwatch.errors import StateError
from ddpwatch.metrics.parameters import brief

Numbers: TypeAlias = NDArray[Any]
Stacked: TypeAlias = Mapping[str, Numbers]

_MOST = 2**60
"""Counts of one state that add up to more could overflow 64 bits in a formula."""


def check_numbers(name: str, values: object) -> Numbers:
    """Return `values` if it is an array of booleans, integers or real numbers.

    Raises:
        StateError: it is anything else.
    """
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
        came = values.dtype if isinstance(values, np.ndarray) else type(values).__name__
        raise StateError(f"state {name}: expected an array of numbers, got {brief(str(came))}")
    return values


def take(stacked: Stacked, name: str, shape: tuple[int | None, ...]) -> Numbers:
    """Return one state, (N, *shape); None stands for any length above 0.

    Raises:
        StateError: the state is missing, is not numeric, or has another shape.
    """
    if name not in stacked:
        raise StateError(f"expected a state {name}, got {', '.join(map(brief, stacked)) or 'none'}")
    values = check_numbers(name, stacked[name])
    if values.ndim != len(shape) + 1 or not all(map(_fits, values.shape[1:], shape)):
        raise StateError(f"state {name}: expected {_shown(shape)}, got {values.shape[1:]}")
    return values


def take_counts(stacked: Stacked, name: str, shape: tuple[int | None, ...]) -> Numbers:
    """Return a state that holds counts; integers come as int64, floats as they are.

    Raises:
        StateError: as `take`, and for counts below 0 or too large to add up.
    """
    values = take(stacked, name, shape)
    if bool((values < 0).any()):
        raise StateError(f"state {name}: expected counts of 0 or more, got {values.min()}")
    if values.dtype.kind == "f":
        return values
    counts = values.astype(np.int64, copy=False)
    most = _MOST // math.prod(counts.shape[1:])
    if bool((counts > most).any()):
        raise StateError(f"state {name}: expected counts of {most} or less, got {counts.max()}")
    return counts


def check_lengths(stacked: Stacked) -> None:
    """Raise `StateError` unless all states are stacked for the same number of ranks."""
    lengths = {np.shape(values)[:1] for values in stacked.values()}
    if len(lengths) > 1 or () in lengths:
        raise StateError(f"expected one number of ranks for all states, got {sorted(lengths)}")


def _fits(length: int, expected: int | None) -> bool:
    return length > 0 if expected is None else length == expected


def _shown(shape: tuple[int | None, ...]) -> str:
    inner = ", ".join("any" if length is None else str(length) for length in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"
