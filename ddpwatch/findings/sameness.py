"""When do two numbers differ for a reason, and not by rounding?"""

from __future__ import annotations

import math
from collections.abc import Iterable

RELATIVE = 1e-4
ABSOLUTE = 1e-5
"""Single precision, summed in another order, stays below both; a fault worth a word is above."""


def differs(one: float, other: float) -> bool:
    """Whether two values are apart by more than rounding; two NaNs are the same."""
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) != math.isnan(other)
    if math.isinf(one) or math.isinf(other):
        return one != other
    return abs(one - other) > max(ABSOLUTE, RELATIVE * max(abs(one), abs(other)))


def disagree(values: Iterable[float]) -> bool:
    """Whether any two of some values differ."""
    known = list(values)
    return any(differs(known[0], other) for other in known[1:])
