"""How do the accounts of all ranks become the table of what was logged in a pass?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ddpwatch.board.agreement import Agreement
from ddpwatch.board.attribution import Belonging, belonging, by_number, origin_of
from ddpwatch.board.entries import Entry, entries_of
from ddpwatch.board.logs import LoggedPass
from ddpwatch.board.reduction import Facts, decide
from ddpwatch.board.snapshot import (
    LoggedId,
    LoggedRow,
    LoggedTable,
    PassKey,
    Row,
    Table,
)
from ddpwatch.board.spread import Spread, frozen
from ddpwatch.board.table import Declares
from ddpwatch.wire.messages import LoggedKey, Monitor, StateSpec, TrackedMetric

_PER_BATCH = ("_step", "batch_end", "batch_start", "backward", "zero_grad")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a pass's logged keys are judged beside: its tables by dataloader, and declarations."""

    key: PassKey
    tables: Mapping[int, Table]
    declares: Declares
    world_size: int
    lost: Collection[int] = ()

    @property
    def states_final(self) -> bool:
        """Whether the tables hold what the pass ended with."""
        return bool(self.tables) and all(table.final for table in self.tables.values())


def build_logged_table(taken: LoggedPass, around: Surroundings) -> LoggedTable:
    """Return one row for each emitted name, in the order in which the keys were first logged."""
    expected = set(range(around.world_size)) - set(around.lost)
    final = bool(expected) and taken.is_final(expected)
    monitors = _monitors(taken, around.declares)
    metrics = _metrics(taken, around.declares)
    rows = [
        _row(entries, around, metrics, monitors, final=final) for entries in _by_id(taken).values()
    ]
    rows.sort(key=lambda row: int(row.order[row.order >= 0].min(initial=2**31)))
    step = max((held.logged.step for held in taken.ranks.values()), default=-1)
    return LoggedTable(key=around.key, step=step, final=final, rows=tuple(rows))


def is_per_batch(hook: str) -> bool:
    """Whether a hook runs for every batch, rather than once in a pass."""
    return hook.endswith(_PER_BATCH)


def _by_id(taken: LoggedPass) -> dict[LoggedId, list[Entry]]:
    found: dict[LoggedId, list[Entry]] = {}
    for rank, held in sorted(taken.ranks.items()):
        for entry in entries_of(rank, held.logged):
            found.setdefault(entry.id, []).append(entry)
    return found


def _metrics(taken: LoggedPass, declares: Declares) -> dict[str, TrackedMetric]:
    found: dict[str, TrackedMetric] = {}
    for rank, held in sorted(taken.ranks.items()):
        declare = declares.get((rank, held.claim, held.logged.declare))
        for metric in declare.metrics if declare else ():
            found.setdefault(metric.path, metric)
    return found


def _monitors(taken: LoggedPass, declares: Declares) -> list[Monitor]:
    found: dict[Monitor, None] = {}
    for rank, held in sorted(taken.ranks.items()):
        declare = declares.get((rank, held.claim, held.logged.declare))
        found.update(dict.fromkeys(declare.monitors if declare else ()))
    return list(found)


def _row(
    entries: Sequence[Entry],
    around: Surroundings,
    metrics: Mapping[str, TrackedMetric],
    monitors: Sequence[Monitor],
    *,
    final: bool,
) -> LoggedRow:
    first, key = entries[0], entries[0].key
    belongs = belonging(key, around.tables)
    facts = _facts(entries, around, metrics, belongs, final=final)
    if belongs is None and facts.final:
        belongs = _by_number(facts, first, around.tables)
        facts = _facts(entries, around, metrics, belongs, final=final)
    reduction, basis = decide(facts)
    row = belongs.row if belongs is not None else None
    spread = Spread(entries, around.world_size)
    ended = spread.flags(lambda entry: entry.value is not None)
    # A step's value is one batch's; there is nothing of a whole pass to hold it against.
    global_ = row.global_ if row is not None and first.id.kind == "epoch" else None
    names = {first.id.name, first.alias} if first.id.kind == "epoch" else {first.id.name}
    return LoggedRow(
        id=first.id,
        on_step=key.on_step,
        on_epoch=key.on_epoch,
        sync_dist=key.sync_dist,
        reduce_fx=key.reduce_fx,
        rank_zero_only=key.rank_zero_only,
        logger=key.logger,
        prog_bar=key.prog_bar,
        source=_source(entries),
        called=facts.called,
        ended=ended,
        calls=spread.integers(lambda entry: entry.key.calls, 0),
        order=spread.integers(lambda entry: entry.key.order, -1),
        nonfinite=spread.integers(lambda entry: entry.key.nonfinite, 0),
        local=facts.local,
        ranks=facts.value,
        reduction=reduction,
        basis=basis,
        metric=None if row is None else row.key,
        global_=global_,
        gap=None if global_ is None or not ended[0] else float(facts.value[0]) - global_,
        monitored_by=tuple(dict.fromkeys(m.kind for m in monitors if m.key and m.key in names)),
        alias=first.alias,
    )


def _facts(
    entries: Sequence[Entry],
    around: Surroundings,
    metrics: Mapping[str, TrackedMetric],
    belongs: Belonging | None,
    *,
    final: bool,
) -> Facts:
    spread = Spread(entries, around.world_size)
    key = entries[0].key
    row = belongs.row if belongs is not None else None
    metric = metrics.get(key.metric or origin_of(key)[1])
    local = spread.floats(lambda entry: entry.local)
    settled = final and around.states_final and row is not None
    if key.metric and row is not None and row.own and entries[0].id.kind == "epoch":
        local = frozen(np.where(np.isnan(local), row.values, local))
    return Facts(
        kind=entries[0].id.kind,
        local=local,
        value=spread.floats(lambda entry: entry.value),
        called=spread.flags(lambda entry: entry.key.calls > 0),
        calls=spread.floats(lambda entry: entry.key.calls, 0),
        weighted_sum=spread.floats(lambda entry: entry.key.weighted_sum, 0),
        weight=spread.floats(lambda entry: entry.key.weight, 0),
        final=final,
        size=_size(entries),
        is_metric=bool(key.metric),
        metric_syncs=all(entry.key.metric_syncs for entry in entries),
        step_syncs=bool(metric and metric.params.get("dist_sync_on_step")),
        syncs=any(entry.key.syncs for entry in entries),
        reduce_fx=key.reduce_fx,
        group=key.group,
        per_batch=is_per_batch(key.hook),
        by_origin=all(entry.key.origin.startswith("compute:") for entry in entries),
        metric=_named(row, key),
        states=_averaged_states(metric),
        global_=row.global_ if settled and row is not None else None,
        own=row.values if settled and row is not None else None,
        mean=row.mean if settled and row is not None else None,
    )


def _by_number(facts: Facts, first: Entry, tables: Mapping[int, Table]) -> Belonging | None:
    """The metric whose value over all ranks every rank holds, though nothing else tells."""
    held = np.where(np.isnan(facts.local), facts.value, facts.local)
    if len(held) < 2 or np.isnan(held).any() or not facts.agreement.all_same(held.tolist()):
        return None
    row = by_number(float(held[0]), first.key, tables, Agreement())
    return None if row is None else Belonging(row, proven=False)


def _named(row: Row | None, key: LoggedKey) -> str:
    if row is None:
        return key.metric or origin_of(key)[1] or "the metric"
    label = f" of {row.label}" if row.label is not None else ""
    score = "" if row.own else f" {row.key.score}"
    return f"{row.key.metric}{score}{label}"


def _averaged_states(metric: TrackedMetric | None) -> str:
    """What there is to say of a metric of somebody's own: averaged states may hold ratios."""
    if metric is None or metric.base:
        return ""
    names = [_state_name(spec) for spec in metric.states if spec.reduction == "mean"]
    if not names:
        return ""
    return f"its {', '.join(names[:3])} averaged over the ranks: of ratios, a mean of ranks"


def _state_name(spec: StateSpec) -> str:
    return f"state {spec.name}"


def _source(entries: Sequence[Entry]) -> str:
    key = entries[0].key
    if key.metric:
        return f"metric {key.metric}"
    how, path, label = origin_of(key)
    if how and all(entry.key.origin == key.origin for entry in entries):
        return f"{how} of {path}" + (f"[{label}]" if label >= 0 else "")
    return "tensor"


def _size(entries: Sequence[Entry]) -> float:
    """The largest magnitude of a single value."""
    values = (v for e in entries for v in (e.key.least, e.key.most, e.key.last))
    return max((abs(value) for value in values if value is not None), default=0.0)
