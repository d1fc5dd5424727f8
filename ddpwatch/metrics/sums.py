"""Which few sums does a metric hold, for one output or for several?"""

from __future__ import annotations

from dataclasses import dataclass

from ddpwatch.errors import StateError
from ddpwatch.metrics.averages import as_float
from ddpwatch.metrics.parameters import Parameters
from ddpwatch.metrics.states import Numbers, Stacked, take

_MOST_OUTPUTS = 65_536


@dataclass(frozen=True, slots=True)
class Sums:
    """The states of N ranks by name, and the parameters of the metric."""

    stacked: Stacked
    params: Parameters

    def read(self, *names: str) -> tuple[Numbers, ...]:
        """Return states as floats, each (N, M) for M outputs, or (N, 1) where it has just one.

        Raises:
            StateError: a state is missing or of another shape, or numbers of outputs differ.
        """
        parts = [self._part(name) for name in names]
        widths = {part.shape[1] for part in parts} - {1}
        if len(widths) > 1:
            raise StateError(f"expected one number of outputs, got {sorted(widths)}")
        return tuple(as_float(part) for part in parts)

    def first_of(self, *names: str) -> str:
        """Return the first of some names under which versions of a class keep one state."""
        return next((name for name in names if name in self.stacked), names[0])

    def _part(self, name: str) -> Numbers:
        values = self.stacked.get(name)
        shape = (None,) if values is not None and values.ndim > 1 else ()
        part = take(self.stacked, name, shape)
        if part.ndim == 2 and part.shape[1] > _MOST_OUTPUTS:
            raise StateError(f"state {name}: expected at most {_MOST_OUTPUTS} outputs")
        return part.reshape(len(part), -1)
