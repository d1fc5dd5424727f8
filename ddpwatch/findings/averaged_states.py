"""Which metrics of somebody's own keep a ratio as a state, and average it over the ranks?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ddpwatch.board.snapshot import Row
from ddpwatch.findings.evidence import LoaderPass
from ddpwatch.findings.sameness import differs
from ddpwatch.findings.scores import named_score
from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array, TrackedMetric


class AveragedRatio(NamedTuple):
    """A metric, its state that is a ratio, and what it is on each rank where it is one number.

    `truth` is the row of another metric of the pass that has that score from counts, if its value
    over all ranks is another than the mean of ranks.
    """

    metric: TrackedMetric
    state: str
    values: Mapping[int, float]
    truth: Row | None


def averaged_ratios(loader: LoaderPass) -> Iterator[AveragedRatio]:
    """Yield such metrics, as far as the names of their states tell."""
    for held in loader.held(min(loader.states)):
        state = _ratio_state(held.metric)
        if state:
            values = _values(loader, held.metric.path, state)
            yield AveragedRatio(held.metric, state, values, _truth(loader, state))


def _ratio_state(metric: TrackedMetric) -> str:
    if metric.base or metric.shadow:
        return ""
    averaged = (spec.name for spec in metric.states if spec.reduction == "mean")
    return next((name for name in averaged if named_score(name)), "")


def _values(loader: LoaderPass, path: str, state: str) -> dict[int, float]:
    values = {}
    for rank in sorted(loader.states):
        for held in loader.held(rank):
            specs = held.metric.states if held.metric.path == path else ()
            for spec, found in zip(specs, held.state.states, strict=False):
                if spec.name == state and isinstance(found, Array):
                    array = to_numpy(found)
                    if array.size == 1:
                        values[rank] = float(array.reshape(()))
    return values


def _truth(loader: LoaderPass, state: str) -> Row | None:
    rows = loader.table.rows if loader.table is not None else ()
    score = named_score(state)
    found = next((r for r in rows if r.key.score == score and r.label is None), None)
    if found is None or found.mean is None or found.global_ is None:
        return None
    return found if differs(found.mean, found.global_) else None
