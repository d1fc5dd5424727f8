"""How do the ranks' entries of one emitted name become read-only arrays, indexed by rank?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ddpwatch.board.entries import Entry
from ddpwatch.board.snapshot import BoolArray, FloatArray

Get: TypeAlias = Callable[[Entry], float | None]
_Array = TypeVar("_Array", bound=NDArray[np.generic])


@dataclass(frozen=True, slots=True)
class Spread:
    """Entries of some ranks of a world."""

    entries: Sequence[Entry]
    world_size: int

    def floats(self, get: Get, absent: float = np.nan) -> FloatArray:
        """One number per rank, `absent` where there is none."""
        column = np.full(self.world_size, absent, dtype=np.float64)
        for entry in self.entries:
            value = get(entry)
            if value is not None:
                column[entry.rank] = value
        return frozen(column)

    def integers(self, get: Get, absent: int) -> NDArray[np.int64]:
        """One count per rank."""
        return frozen(self.floats(get, absent).astype(np.int64))

    def flags(self, get: Callable[[Entry], bool]) -> BoolArray:
        """Yes or no per rank; no where there is no entry."""
        return frozen(self.floats(get, 0.0).astype(np.bool_))


def frozen(array: _Array) -> _Array:
    """Return `array`, which nobody may write to any more."""
    array.flags.writeable = False
    return array
