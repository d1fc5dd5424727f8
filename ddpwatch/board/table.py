"""How does a pass become the table of all its metrics?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddpwatch.board.history import Held
from ddpwatch.board.measured import Measured, Tensors
from ddpwatch.board.passes import Cut, Pass
from ddpwatch.board.repeats import blocks_of, without_repeats
from ddpwatch.board.rows import rows_of
from ddpwatch.board.snapshot import Row, Table
from ddpwatch.wire.messages import Array, Declare, MetricState, TrackedMetric

Declares = Mapping[tuple[int, str, int], Declare]
"""By rank, claim and version."""

_NOTHING = Declare(version=0)


class _Entry(NamedTuple):
    """What one rank holds of one metric."""

    rank: int
    metric: TrackedMetric
    state: MetricState
    tensors: Tensors


def build_table(
    taken: Pass,
    world_size: int,
    lost: Collection[int],
    declares: Declares,
    versions: Mapping[str, str],
) -> Table:
    """Return the table of `taken` at the newest step that its ranks share.

    `lost` are the ranks that do not answer any more; a value over the others says so in `note`.
    """
    cut = taken.cut(range(world_size), lost)
    states = [held.state for held in cut.held.values()]
    return Table(
        key=taken.key,
        step=cut.step,
        steps=max((s.steps for s in states if s.steps is not None), default=None),
        global_step=max((s.global_step for s in states), default=0),
        final=cut.final and not cut.left_out,
        rows=_rows(cut, world_size, declares, versions),
        samples=_samples(cut, world_size),
        rank_steps=np.array(taken.rank_steps(world_size), dtype=np.int64),
        behind=taken.behind(),
        absent=frozenset(range(world_size)) - frozenset(cut.held),
        note=_note(cut),
        bytes_per_rank=max((held.nbytes for held in cut.held.values()), default=None),
    )


def measure(
    held: Mapping[int, Held],
    world_size: int,
    declares: Declares,
    obstacle: str,
    only: str | None = None,
) -> list[Measured]:
    """Gather, for every metric that any rank updated in this pass, what each rank holds of it.

    `obstacle` says why no value over all ranks may be formed, or is empty; `only` names one metric.
    """
    found: dict[str, list[_Entry]] = {}
    for rank, each in held.items():
        declare = declares.get((rank, each.claim, each.state.declare), _NOTHING)
        for metric, state, tensors in _tensors(declare, each.state.metrics):
            if only is not None and metric.path != only:
                continue
            found.setdefault(metric.path, []).append(_Entry(rank, metric, state, tensors))
    return [
        _measured(entries, world_size, obstacle, len(held))
        for entries in found.values()
        if any(entry.state.fresh for entry in entries)
    ]


def _rows(
    cut: Cut, world_size: int, declares: Declares, versions: Mapping[str, str]
) -> tuple[Row, ...]:
    blocks = [
        block
        for measured in measure(cut.held, world_size, declares, _obstacle(cut))
        for block in blocks_of(_fingerprint(measured), rows_of(measured, versions))
    ]
    return without_repeats(blocks)


def _tensors(
    declare: Declare, states: Sequence[MetricState]
) -> Iterator[tuple[TrackedMetric, MetricState, Tensors]]:
    """Pair each state with its metric, and with the tensors of the metric that leads its group."""
    by_index = {state.metric: state for state in states}
    for state in states:
        if state.metric >= len(declare.metrics):
            continue
        leader = by_index.get(state.leader, state)
        yield declare.metrics[state.metric], state, leader.states


def _measured(entries: Sequence[_Entry], world_size: int, obstacle: str, ranks: int) -> Measured:
    metric = entries[0].metric
    odd = [e.rank for e in entries if _formula(e.metric) != _formula(metric)]
    if odd:
        obstacle = f"rank {odd[0]} declares it differently"
    elif len(entries) < ranks:
        obstacle = obstacle or f"only {len(entries)} of {ranks} ranks have it"
    alike = [e for e in entries if e.rank not in odd]
    return Measured(
        metric=metric,
        world_size=world_size,
        states={e.rank: e.tensors for e in alike},
        fresh={e.rank: e.state.fresh for e in alike},
        obstacle=obstacle,
    )


def _formula(metric: TrackedMetric) -> tuple[object, ...]:
    """What has to be the same on all ranks for one formula to hold for them."""
    states = tuple((spec.name, spec.reduction) for spec in metric.states)
    return metric.cls, metric.base, sorted(metric.params.items(), key=str), states


def _fingerprint(measured: Measured) -> int:
    return hash(tuple(sorted((r, _contents(t)) for r, t in measured.states.items())))


def _contents(tensors: Tensors) -> int:
    return hash(tuple(t.data if isinstance(t, Array) else (t.length, t.nbytes) for t in tensors))


def _obstacle(cut: Cut) -> str:
    if cut.exact:
        return ""
    if cut.waiting:
        return f"nothing yet from {name_ranks(cut.waiting)}"
    return "no step that all ranks share"


def _note(cut: Cut) -> str:
    return f"without {name_ranks(cut.left_out)}" if cut.left_out else ""


def _samples(cut: Cut, world_size: int) -> NDArray[np.int64]:
    samples = np.full(world_size, -1, dtype=np.int64)
    for rank, held in cut.held.items():
        if held.state.samples is not None:
            samples[rank] = held.state.samples
    samples.flags.writeable = False
    return samples


def name_ranks(ranks: Collection[int]) -> str:
    """Name a few ranks: `rank 2`, `ranks 0, 3`, `ranks 0, 1, 2 and 5 more`."""
    shown = sorted(ranks)
    few = ", ".join(map(str, shown[:3]))
    more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
    return f"rank{'s' if len(shown) > 1 else ''} {few}{more}"
