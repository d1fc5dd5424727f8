"""Which metrics hold more updates than their pass and loader have made?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ddpwatch.findings.evidence import Evidence, LoaderPass

CUMULATIVE = ("MaxMetric", "MinMetric", "SumMetric", "CatMetric", "Running", "RunningMean",
              "RunningSum")  # fmt: skip
"""Classes that people keep over epochs on purpose: the best value so far, samples seen."""


class Leftover(NamedTuple):
    """A metric that was not empty when its pass began; `updates` and `fresh` of its first rank."""

    path: str
    updates: int
    fresh: int
    ranks: tuple[int, ...]


def leftovers(loader: LoaderPass, evidence: Evidence) -> Iterator[Leftover]:
    """Yield metrics of one use whose updates are older than the pass."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for rank in sorted(loader.states):
        for held in loader.held(rank):
            used = evidence.uses.get(held.metric.path, frozenset())
            if held.metric.cls.rpartition(".")[2] in CUMULATIVE or held.metric.shadow:
                continue
            if held.state.updates > held.state.fresh and len(used) < 2:
                entry = (rank, held.state.updates, held.state.fresh)
                found.setdefault(held.metric.path, []).append(entry)
    for path, entries in found.items():
        _, updates, fresh = entries[0]
        yield Leftover(path, updates, fresh, tuple(rank for rank, _, _ in entries))
