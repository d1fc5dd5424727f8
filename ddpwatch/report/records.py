"""What is a line of an export? One value: of a rank, of their mean, of all ranks, or as logged."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from ddpwatch.board.snapshot import LoggedTable, PassKey, Row, Table
from ddpwatch.text import visible

Of: TypeAlias = Literal["rank", "mean", "global", "logged"]


class Record(NamedTuple):
    """One value, under the names of the columns; None is nothing, never zero.

    `step` is the `batch_idx` that a value belongs to, `time` when its last part came (seconds of
    wall time). `rank` is None where a value is no single rank's. `samples` are those that went
    into the value, as far as they were counted. Where a value was logged, `metric` is the name
    that Lightning gave out and `reduction` how it came about.
    """

    run: str
    generation: int
    stage: str
    pass_: int
    epoch: int
    dataloader: int | None
    step: int
    global_step: int
    final: bool
    of: Of
    rank: int | None
    metric: str
    cls: str
    score: str
    average: str
    label: str | None
    value: float
    samples: int | None
    reduction: str
    time: float


COLUMNS: tuple[str, ...] = tuple(
    {"pass_": "pass", "cls": "class"}.get(name, name) for name in Record._fields
)
"""How they are called in files."""


def records_of(run: str, table: Table, finals: frozenset[int], time: float) -> Iterator[Record]:
    """Yield every value of a table: row by row, the ranks' own, their mean, the global one.

    `finals` are the ranks whose states in it are their last ones.
    """
    common = _common(run, table.key, table.step, table.global_step, time)
    for row in table.rows:
        place = common._replace(
            metric=visible(row.key.metric),
            cls=visible(row.cls),
            score=visible(row.key.score),
            average=visible(row.average),
            label=None if row.label is None else visible(row.label),
        )
        counted = [_samples(row, table, rank) for rank in range(len(row.values))]
        for rank in map(int, row.present.nonzero()[0]):
            yield place._replace(
                rank=rank,
                final=rank in finals,
                value=float(row.values[rank]),
                samples=counted[rank],
            )
        known = [count for count in counted if count is not None]
        total = sum(known) if len(known) == len(counted) else None
        whole = place._replace(final=table.final, samples=total)
        if row.mean is not None:
            yield whole._replace(of="mean", value=row.mean)
        if row.global_ is not None:
            yield whole._replace(of="global", value=row.global_)


def logged_records(
    run: str, logged: LoggedTable, global_step: int, time: float
) -> Iterator[Record]:
    """Yield what each rank's Lightning ended a pass with, under every name."""
    common = _common(run, logged.key, logged.step, global_step, time)
    for row in logged.rows:
        key = common._replace(
            of="logged",
            dataloader=row.id.dataloader if row.id.dataloader >= 0 else None,
            final=logged.final,
            metric=visible(row.id.name),
            reduction=row.reduction,
        )
        for rank in map(int, row.ended.nonzero()[0]):
            yield key._replace(rank=rank, value=float(row.ranks[rank]))


def _common(run: str, key: PassKey, step: int, global_step: int, time: float) -> Record:
    """What all values of a table share; the rest is to be put in its place."""
    return Record(
        run=visible(run),
        generation=key.generation,
        stage=key.stage,
        pass_=key.pass_,
        epoch=key.epoch,
        dataloader=key.dataloader,
        step=step,
        global_step=global_step,
        final=False,
        of="rank",
        rank=None,
        metric="",
        cls="",
        score="",
        average="",
        label=None,
        value=math.nan,
        samples=None,
        reduction="",
        time=time,
    )


def _samples(row: Row, table: Table, rank: int) -> int | None:
    """What the metric counted, else what the loader handed out, else unknown."""
    own, loader = int(row.samples[rank]), int(table.samples[rank])
    return own if own >= 0 else loader if loader >= 0 else None
