"""How is a time in float seconds kept as whole nanoseconds, so that it comes back equal?"""

from __future__ import annotations

BILLION = 1_000_000_000


def to_nanoseconds(at: float) -> int:
    """Return `at` as whole nanoseconds, at least 0; what is read back is the very same float."""
    whole = int(at)
    return max(0, whole * BILLION + round((at - whole) * BILLION))


def to_seconds(nanoseconds: int) -> float:
    """Return the float that `to_nanoseconds` was given."""
    return nanoseconds / BILLION
