"""What may a rule look at? One frozen picture of a run: who its ranks are, and what has changed.

Mappings are by rank unless they say otherwise. `Evidence.passes` holds only passes in which
something has come since the last look, so that a long history costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ddpwatch.board.snapshot import (
    Finding,
    LoggedRow,
    LoggedTable,
    LoggerRow,
    PassKey,
    RankInfo,
    Row,
    Table,
)
from ddpwatch.wire.messages import (
    Declare,
    Hello,
    Loader,
    Logged,
    MetricState,
    Progress,
    Pulse,
    State,
    TrackedMetric,
)


class Held(NamedTuple):
    """One metric as one rank holds it: its position in the declaration, what it is, its state."""

    position: int
    metric: TrackedMetric
    state: MetricState


class Use(NamedTuple):
    """A stage and dataloader in which a metric object was updated; sanity is part of validate."""

    stage: str
    dataloader: int


@dataclass(frozen=True, slots=True)
class LoaderPass:
    """One pass over one dataloader: newest states, their declarations, the table made of them.

    `earlier` are the oldest states of the same pass that are still held.
    """

    key: PassKey
    states: Mapping[int, State] = field(default_factory=dict)
    declares: Mapping[int, Declare] = field(default_factory=dict)
    table: Table | None = None
    earlier: Mapping[int, State] = field(default_factory=dict)

    def held(self, rank: int) -> Iterator[Held]:
        """Yield every metric that a rank has updated in this pass."""
        yield from held_of(self.states.get(rank), self.declares.get(rank))

    def is_final(self, world_size: int) -> bool:
        """Whether every rank has sent its last state."""
        return len(self.states) == world_size and all(s.final for s in self.states.values())

    def is_at_end(self, world_size: int) -> bool:
        """Whether every rank has seen its last batch, though it may not have left the pass."""
        return len(self.states) == world_size and all(map(_has_seen_all, self.states.values()))


@dataclass(frozen=True, slots=True)
class PassEvidence:
    """One pass of one stage: its dataloaders, what the ranks logged in it.

    `said` are the newest `Logged` messages, `logged` the table made of them.
    """

    key: PassKey
    loaders: tuple[LoaderPass, ...] = ()
    logged: LoggedTable | None = None
    said: Mapping[int, Logged] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[LoggedRow, ...]:
        """The rows of `logged`."""
        return self.logged.rows if self.logged is not None else ()

    def is_said(self, world_size: int) -> bool:
        """Whether every rank's last word on this pass is there."""
        return len(self.said) == world_size and all(s.final for s in self.said.values())

    def measured(self, row: LoggedRow) -> Row | None:
        """The row of the Metrics table that a logged key belongs to."""
        return next(
            (r for loader in self.loaders if loader.table for r in loader.table.rows
             if r.key == row.metric and _same_loader(row, loader, self.loaders)),
            None,
        )  # fmt: skip

    def metric(self, path: str) -> TrackedMetric | None:
        """The declaration of a metric, by path."""
        return next(
            (m for loader in self.loaders for declare in loader.declares.values()
             for m in declare.metrics if m.path == path),
            None,
        )  # fmt: skip


class Pace(NamedTuple):
    """Mean seconds of a rank's own work per step, up to its first wait, over `steps` steps."""

    seconds: float
    steps: int


class Ended(NamedTuple):
    """A rank that ended with an exception, and when (its own clock)."""

    rank: int
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A run at `now`.

    `declares` are the newest of each rank. `uses` says, by metric path, where it was updated so
    far; `sanity` how many updates of it the sanity check made on a rank; `newest_rows`, by name and
    alias, what an epoch's value was when it was logged last; `ended` is in time order. `proven` are
    the findings of earlier looks.
    """

    now: float
    world_size: int
    ranks: tuple[RankInfo, ...] = ()
    hellos: Mapping[int, Hello] = field(default_factory=dict)
    declares: Mapping[int, Declare] = field(default_factory=dict)
    progress: Mapping[int, Progress] = field(default_factory=dict)
    pulses: Mapping[int, Pulse] = field(default_factory=dict)
    passes: tuple[PassEvidence, ...] = ()
    calls: tuple[LoggerRow, ...] = ()
    uses: Mapping[str, frozenset[Use]] = field(default_factory=dict)
    sanity: Mapping[str, int] = field(default_factory=dict)
    newest_rows: Mapping[str, LoggedRow] = field(default_factory=dict)
    paces: Mapping[int, Pace] = field(default_factory=dict)
    ended: tuple[Ended, ...] = ()
    proven: tuple[Finding, ...] = ()

    def loaders(self) -> Iterator[LoaderPass]:
        """Every pass over a single dataloader in which something has changed."""
        for each in self.passes:
            yield from each.loaders

    def declared(self) -> Iterator[tuple[int, TrackedMetric]]:
        """Every metric that a rank follows at present."""
        for rank, declare in sorted(self.declares.items()):
            for metric in declare.metrics:
                yield rank, metric

    def loader(self, rank: int, stage: str, dataloader: int) -> Loader | None:
        """How a rank declares one dataloader."""
        declare = self.declares.get(rank)
        loaders = declare.loaders if declare is not None else ()
        wanted = "validate" if stage == "sanity_check" else stage
        return next((x for x in loaders if (x.stage, x.dataloader) == (wanted, dataloader)), None)


def held_of(state: State | None, declare: Declare | None) -> Iterator[Held]:
    """Pair a state's metrics with their declarations, those that this pass has updated."""
    if state is None or declare is None:
        return
    by_index = {each.metric: each for each in state.metrics}
    for each in state.metrics:
        if each.fresh and each.metric < len(declare.metrics):
            leader = by_index.get(each.leader)
            whole = each if leader is None else _led(each, leader)
            yield Held(each.metric, declare.metrics[each.metric], whole)


def _led(state: MetricState, leader: MetricState) -> MetricState:
    return MetricState(
        metric=state.metric,
        updates=state.updates,
        fresh=state.fresh,
        leader=state.leader,
        states=leader.states,
    )


def _has_seen_all(state: State) -> bool:
    return state.final or (state.steps is not None and state.step + 1 >= state.steps)


def _same_loader(row: LoggedRow, loader: LoaderPass, loaders: tuple[LoaderPass, ...]) -> bool:
    return len(loaders) == 1 or row.id.dataloader < 0 or loader.key.dataloader == row.id.dataloader
