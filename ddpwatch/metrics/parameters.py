"""What do a metric's declared parameters say? Read one by one, since they come from outside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ddpwatch.errors import StateError
from ddpwatch.metrics.rules import Rules

Task: TypeAlias = Literal["binary", "multiclass", "multilabel"]
Parameters: TypeAlias = Mapping[str, Any]

AVERAGES = ("macro", "micro", "weighted", "none")


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides how counts become scores. `average` is empty for binary metrics."""

    task: Task
    average: str
    top_k: int
    beta: float
    zero_division: float
    rules: Rules


def read_settings(task: Task, params: Parameters, rules: Rules) -> Settings:
    """Return the settings, with torchmetrics' defaults for what is absent.

    Raises:
        StateError: a parameter has a value that torchmetrics does not know.
    """
    return Settings(
        task=task,
        average="" if task == "binary" else word(params, "average", AVERAGES, default="macro"),
        top_k=_top_k(params) if task == "multiclass" else 1,
        beta=_beta(params),
        zero_division=_zero_division(params) if rules.zero_division else 0.0,
        rules=rules,
    )


def word(params: Parameters, name: str, allowed: Sequence[str], *, default: str = "none") -> str:
    """Return a parameter that is one of a few words; None means `none`, as in torchmetrics."""
    value = params.get(name, default)
    value = "none" if value is None else value
    if not isinstance(value, str) or value not in allowed:
        raise StateError(f"{name}: expected one of {', '.join(allowed)}, got {brief(value)}")
    return value


def whole(params: Parameters, name: str) -> int | None:
    """Return a parameter that is a whole number, or None where it is absent or None."""
    value = params.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise StateError(f"{name}: expected a whole number, got {brief(value)}")
    return value


def real(params: Parameters, name: str, default: float) -> float:
    """Return a parameter that is a number."""
    value = params.get(name, default)
    if not isinstance(value, int | float):
        raise StateError(f"{name}: expected a number, got {brief(value)}")
    try:
        return float(value)
    except OverflowError:
        raise StateError(f"{name}: expected a number that fits a float, got a larger one") from None


def reals(params: Parameters, name: str) -> NDArray[np.float64] | None:
    """Return a parameter that is a list of numbers, (T,), or None where it is absent or None."""
    values = params.get(name)
    if values is None:
        return None
    if not isinstance(values, list | tuple) or not set(map(type, values)) <= {int, float}:
        raise StateError(f"{name}: expected a list of numbers, got {brief(type(values).__name__)}")
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        raise StateError(f"{name}: expected numbers that fit a float, got a larger one") from None


def flag(params: Parameters, name: str, *, default: bool) -> bool:
    """Return a parameter that is true or false."""
    value = params.get(name, default)
    if not isinstance(value, bool):
        raise StateError(f"{name}: expected true or false, got {brief(value)}")
    return value


def brief(value: object) -> str:
    """Return what an error message may show of a value from outside."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        text = type(value).__name__
    return text if len(text) <= 40 else f"{text[:37]}..."


def _top_k(params: Parameters) -> int:
    value = whole(params, "top_k")
    if value is None:
        return 1
    if value < 1:
        raise StateError(f"top_k: expected 1 or more, got {brief(value)}")
    return value


def _beta(params: Parameters) -> float:
    value = real(params, "beta", 1.0)
    if not (math.isfinite(value) and value > 0):
        raise StateError(f"beta: expected a number above 0, got {brief(value)}")
    return value


def _zero_division(params: Parameters) -> float:
    value = params.get("zero_division", 0.0)
    if value == "warn":
        return 0.0
    if value == "nan":
        return math.nan
    return real(params, "zero_division", 0.0)
