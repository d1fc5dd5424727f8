"""When are two logged numbers the same? When float32 could not have told them apart."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

EXACT = 2e-6
"""Relative difference that a few operations in float32 may leave."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Lightning adds up in float32, so the difference allowed grows with the root of the `calls`.

    It is relative to the larger number, or to the largest single value (`size`) where many have
    cancelled each other.
    """

    calls: float = 1.0
    size: float = 0.0

    def same(self, one: float, other: float) -> bool:
        """Whether both are one number; not-a-number equals itself."""
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        if math.isinf(one) or math.isinf(other):
            return one == other
        size = self.size if math.isfinite(self.size) else 0.0
        scale = max(abs(one), abs(other), size)
        return abs(one - other) <= EXACT * max(1.0, math.sqrt(self.calls) / 4) * scale

    def all_same(self, values: Iterable[float]) -> bool:
        """Whether all are one number; so is a single one, and none at all."""
        found = list(values)
        return all(self.same(found[0], other) for other in found[1:])
