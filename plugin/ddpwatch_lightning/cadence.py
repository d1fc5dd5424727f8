"""At which steps does a rank publish? At powers of two, so that ranks that differ share steps."""

from __future__ import annotations

from typing import Literal, TypeAlias

Every: TypeAlias = int | Literal["auto"]

SHORTEST = 1 / 20
"""Seconds between two states that a rank publishes, at least."""

SHARE = 0.01
"""Part of a step's time that copying states may take, at most."""

LARGEST = 1 << 20

_WEIGHT = 0.1
_CLEARLY = 1.5


class Cadence:
    """Decides for one stage, from the rank's own step times; knows no clock.

    With `every="auto"` the stride is the least power of two that keeps both bounds. It grows as
    soon as a bound is broken, and shrinks once half of it would keep both with room to spare, so
    that step times near a bound do not make it swing.
    """

    def __init__(self, every: Every) -> None:
        self.stride = 1 if every == "auto" else every
        self.adapts = every == "auto"
        self._step_seconds: float | None = None
        self._copy_seconds = 0.0

    def is_due(self, step: int) -> bool:
        """Say whether the state after this step is to be published."""
        return step % self.stride == 0

    def note_copy(self, seconds: float) -> None:
        """Take in how long copying all states took."""
        self._copy_seconds += _WEIGHT * (seconds - self._copy_seconds)

    def note_step(self, seconds: float) -> None:
        """Take in how long a step took, and adapt."""
        if not self.adapts:
            return
        known = self._step_seconds
        mean = seconds if known is None else known + _WEIGHT * (seconds - known)
        self._step_seconds = mean
        shortest = max(SHORTEST, self._copy_seconds / SHARE)
        if self.stride * mean < shortest and self.stride < LARGEST:
            self.stride *= 2
        elif self.stride > 1 and self.stride * mean > 2 * _CLEARLY * shortest:
            self.stride //= 2
