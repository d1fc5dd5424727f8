"""What does the report of a run hold? Plain data, ready for JSON.

Absent values are None; numbers that JSON has no word for are the strings "nan", "inf" and "-inf".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import (
    Finding,
    LoggedRow,
    LoggedTable,
    PassKey,
    Row,
    Severity,
    Table,
)

Number: TypeAlias = float | str | None


class RankEntry(msgspec.Struct, frozen=True):
    """One rank and how it ended."""

    rank: int
    host: str
    pid: int | None
    status: str
    last_step: int | None


class RunEntry(msgspec.Struct, frozen=True):
    """The run itself."""

    id: str
    name: str
    world_size: int
    ranks: list[RankEntry]


class MetricEntry(msgspec.Struct, frozen=True, rename={"cls": "class", "global_": "global"}):
    """One row: lists have one entry per rank, in order."""

    name: str
    cls: str
    score: str
    own: bool
    average: str
    label: str | None
    ranks: list[Number]
    samples: list[int | None]
    mean_of_ranks: Number
    global_: Number
    reason: str | None


class LoggedEntry(msgspec.Struct, frozen=True, rename={"global_": "global"}):
    """One name that Lightning gave out; `local` and `ranks` have one entry per rank, in order."""

    key: str
    hook: str
    on_step: bool
    on_epoch: bool
    sync_dist: bool
    reduce_fx: str
    local: list[Number]
    ranks: list[Number]
    reduction: str
    metric: str | None
    global_: Number
    gap: Number


class EpochEntry(msgspec.Struct, frozen=True, rename={"pass_": "pass"}):
    """One pass of one stage over one dataloader."""

    stage: str
    pass_: int
    epoch: int
    global_step: int
    dataloader: int
    step: int
    steps: int | None
    final: bool
    metrics: list[MetricEntry]
    logged: list[LoggedEntry] = []


class FindingEntry(msgspec.Struct, frozen=True, rename={"pass_": "pass"}):
    """One fault; where it is about no pass, `stage`, `pass` and `epoch` are None."""

    code: str
    severity: Severity
    title: str
    stage: str | None
    pass_: int | None
    epoch: int | None
    key: str
    ranks: list[int]
    message: str
    why: str
    fix: str


class Report(msgspec.Struct, frozen=True):
    """Everything: the run, its passes in the order in which they began, the findings."""

    run: RunEntry
    epochs: list[EpochEntry]
    findings: list[FindingEntry] = []


def build_report(run: Run, now: float, findings: Iterable[Finding] = ()) -> Report:
    """Return the report of a run as it is known at `now`, with what was found wrong in it."""
    tables = ((run.table(key, now), run.logged(key, now)) for key in run.pass_keys())
    return Report(
        run=RunEntry(run.run, run.name or run.run, run.world_size, _ranks(run, now)),
        epochs=[_epoch(table, logged) for table, logged in tables if table is not None],
        findings=[_finding(finding) for finding in findings],
    )


def to_json(report: Report) -> str:
    """Render as indented JSON with a fixed order of keys."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def number(value: float | None) -> Number:
    """A float as JSON can say it."""
    if value is None or math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _ranks(run: Run, now: float) -> list[RankEntry]:
    entries = []
    for rank in range(run.world_size):
        known = run.ranks.get(rank)
        if known is None:
            entries.append(RankEntry(rank, "", None, "unseen", None))
            continue
        info = known.info(now)
        pid = info.pid or None
        entries.append(RankEntry(rank, info.node, pid, info.status, info.step))
    return entries


def _finding(finding: Finding) -> FindingEntry:
    key = finding.pass_key
    return FindingEntry(
        code=finding.code,
        severity=finding.severity,
        title=finding.title,
        stage=key.stage if key is not None else None,
        pass_=key.pass_ if key is not None else None,
        epoch=key.epoch if key is not None else None,
        key=finding.key,
        ranks=list(finding.ranks),
        message=finding.message,
        why=finding.why,
        fix=finding.fix,
    )


def _epoch(table: Table, logged: LoggedTable | None) -> EpochEntry:
    key = table.key
    return EpochEntry(
        stage=key.stage,
        pass_=key.pass_,
        epoch=key.epoch,
        global_step=table.global_step,
        dataloader=key.dataloader,
        step=table.step,
        steps=table.steps,
        final=table.final,
        metrics=[_metric(row, table) for row in table.rows],
        logged=[_logged(row) for row in _logged_here(logged, key)],
    )


def _logged_here(logged: LoggedTable | None, key: PassKey) -> Iterable[LoggedRow]:
    """The keys of this dataloader; those of no single one are told with the first."""
    for row in logged.rows if logged is not None else ():
        if row.id.dataloader == key.dataloader or (row.id.dataloader < 0 and key.dataloader == 0):
            yield row


def _logged(row: LoggedRow) -> LoggedEntry:
    return LoggedEntry(
        key=row.id.name,
        hook=row.id.hook,
        on_step=row.on_step,
        on_epoch=row.on_epoch,
        sync_dist=row.sync_dist,
        reduce_fx=row.reduce_fx,
        local=[_held(v, known=k) for v, k in zip(row.local.tolist(), row.has_local, strict=True)],
        ranks=[_held(v, known=e) for v, e in zip(row.ranks.tolist(), row.ended, strict=True)],
        reduction=row.reduction,
        metric=None if row.metric is None else row.metric.metric,
        global_=number(row.global_),
        gap=number(row.gap),
    )


def _held(value: float, *, known: bool) -> Number:
    return number(value) if known else None


def _metric(row: Row, table: Table) -> MetricEntry:
    counted = zip(row.samples.tolist(), table.samples.tolist(), strict=True)
    return MetricEntry(
        name=row.key.metric,
        cls=row.cls,
        score=row.key.score,
        own=row.own,
        average=row.average,
        label=row.label,
        ranks=list(_present(row)),
        samples=[_samples(own, loader) for own, loader in counted],
        mean_of_ranks=number(row.mean),
        global_=number(row.global_),
        reason=row.reason or table.note or None,
    )


def _present(row: Row) -> Iterable[Number]:
    for value, present in zip(row.values.tolist(), row.present.tolist(), strict=True):
        yield number(value) if present else None


def _samples(own: int, loader: int) -> int | None:
    """What the metric counted, else what the loader handed out, else unknown."""
    return own if own >= 0 else loader if loader >= 0 else None
