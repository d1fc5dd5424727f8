"""Which range does a chart show, and at which round numbers are its axes labelled?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ddpwatch.board.snapshot import FloatArray


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of values, and the labelled ones in it as (value, text)."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def place(self, values: FloatArray, length: int) -> FloatArray:
        """Map values to 0 … length - 1."""
        placed: FloatArray = (values - self.low) / (self.high - self.low) * (length - 1)
        return placed


def value_axis(values: FloatArray, most: int) -> Axis | None:
    """Fit an axis around the finite values with at most `most` labels; None without any value.

    A score between 0 and 1 is never given an axis beyond them.
    """
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return None
    low, high = float(finite.min()), float(finite.max())
    middle = (low + high) / 2
    least = max(abs(middle) * 0.02, 1e-9) if low == high else 0.0
    margin = max((high - low) * 0.06, least)
    unit = low >= 0 and high <= 1
    low, high = low - margin, high + margin
    if unit:
        low, high = max(low, 0.0), min(high, 1.0)
    return Axis(low, high, ticks(low, high, most))


def step_axis(x: FloatArray, most: int) -> Axis | None:
    """Fit an axis exactly around steps or epochs, labelled at whole numbers."""
    if x.size == 0:
        return None
    low, high = float(x.min()), float(x.max())
    found = ticks(low, high, most, whole=True)
    if low == high:
        return Axis(low - 0.5, high + 0.5, ((low, f"{low:.0f}"),))
    return Axis(low, high, found)


def ticks(
    low: float, high: float, most: int, *, whole: bool = False
) -> tuple[tuple[float, str], ...]:
    """Return round numbers in a range, with texts: at most `most`, but two where they exist.

    >>> [text for _, text in ticks(0.0, 1.0, 6)]
    ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']
    """
    if high <= low:
        return ((low, _tick_text(low, 0)),) if whole else ()
    steps = [step for step in _round_steps(high - low) if not whole or step == round(step)]
    few = [step for step in steps if len(_multiples(low, high, step)) <= most]
    pairs = [step for step in steps if len(_multiples(low, high, step)) >= 2]
    best = min(few, default=steps[-1])
    if len(_multiples(low, high, best)) < 2 and pairs:
        best = max(pairs)
    decimals = _decimals(best)
    return tuple((n * best, _tick_text(n * best, decimals)) for n in _multiples(low, high, best))


def _round_steps(span: float) -> list[float]:
    """1, 2, 2.5 and 5 times the powers of ten around `span`, in order."""
    power = math.floor(math.log10(span))
    return [
        factor * 10.0**exponent
        for exponent in range(power - 2, max(power, 0) + 2)
        for factor in (1.0, 2.0, 2.5, 5.0)
    ]


def _multiples(low: float, high: float, step: float) -> range:
    return range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)


def _decimals(step: float) -> int:
    """Decimals that tell multiples of a step apart; -1 where powers of ten do better."""
    for decimals in range(6):
        if abs(round(step, decimals) - step) < step * 1e-6:
            return decimals if step < 1e6 else -1
    return -1


def _tick_text(number: float, decimals: int) -> str:
    return f"{number:.1e}" if decimals < 0 else f"{number + 0.0:.{decimals}f}"
