"""What do the ranks hold of one metric, and what does it come to, alone and together?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ddpwatch.metrics.evaluate import evaluate_ranks
from ddpwatch.metrics.values import Evaluation, RankEvaluation
from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array, ListSize, TrackedMetric

Tensors: TypeAlias = tuple[Array | ListSize, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """The states of one metric in one pass.

    `states` and `fresh` are indexed by rank; a rank without an entry sent nothing for it.
    `obstacle` says why a value over all ranks cannot be formed, or is empty.
    """

    metric: TrackedMetric
    world_size: int
    states: Mapping[int, Tensors]
    fresh: Mapping[int, int]
    obstacle: str = ""

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks that hold a state, in order."""
        return tuple(sorted(self.states))

    @property
    def updated(self) -> list[int]:
        """The ranks that updated it in this pass, in order."""
        return [rank for rank in self.ranks if self.fresh.get(rank)]

    def evaluate(self, versions: Mapping[str, str]) -> RankEvaluation:
        """Evaluate the state of each of `ranks`, and their reduction if nothing forbids it."""
        unpacked = [
            [t if isinstance(t, ListSize) else to_numpy(t) for t in self.states[rank]]
            for rank in self.ranks
        ]
        complete = len(unpacked) == self.world_size
        found = evaluate_ranks(self.metric, unpacked, versions, complete=complete)
        if self.obstacle:
            return replace(found, global_=Evaluation(reason=self.obstacle))
        return found

    def samples(self, found: RankEvaluation) -> NDArray[np.int64]:
        """Samples that the metric itself has counted per rank, shape (W,), -1 where unknown."""
        samples = np.full(self.world_size, -1, dtype=np.int64)
        counted = found.local.samples
        for place, rank in enumerate(self.ranks):
            if not self.fresh.get(rank):
                samples[rank] = 0
            elif counted is not None:
                samples[rank] = counted[place]
        samples.flags.writeable = False
        return samples

    def by_rank(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """Spread a column over `ranks` to shape (W,): NaN for ranks that did not update it."""
        values = np.full(self.world_size, np.nan)
        values[list(self.ranks)] = column
        values[~self.present()] = np.nan
        values.flags.writeable = False
        return values

    def present(self) -> NDArray[np.bool_]:
        """Which ranks updated it, shape (W,)."""
        present = np.zeros(self.world_size, dtype=bool)
        present[self.updated] = True
        present.flags.writeable = False
        return present
