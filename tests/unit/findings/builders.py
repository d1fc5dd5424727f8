"""Evidence made up by hand, for tests of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ddpwatch.board.snapshot import (
    Finding,
    LoggedId,
    LoggedRow,
    LoggedTable,
    PassKey,
    RankInfo,
    Row,
    RowKey,
    Table,
)
from ddpwatch.findings.evidence import Evidence, LoaderPass, PassEvidence, Use
from ddpwatch.wire.arrays import from_numpy
from ddpwatch.wire.messages import (
    Declare,
    Emitted,
    Hello,
    ListSize,
    Loader,
    Logged,
    LoggedKey,
    MetricState,
    Progress,
    Pulse,
    State,
    StateSpec,
    TrackedMetric,
)

KEY = PassKey(0, "validate", 0, 0, 0)
F1 = RowKey("val_f1", "f1")
NAN = float("nan")

Rule = Callable[[Evidence], Iterator[Finding]]


def logged_row(name: str, local: Sequence[float], ranks: Sequence[float] = (), **more: Any) -> Any:
    """An epoch value of `validation_step`: NaN where a rank did not log it, or has not ended."""
    values = np.array(local, dtype=np.float64)
    ended = np.array(ranks or [NAN] * len(local), dtype=np.float64)
    called = more.pop("called", ~np.isnan(values))
    calls = np.where(called, more.pop("calls", 1), 0)
    known: dict[str, Any] = {
        "id": LoggedId(more.pop("hook", "validation_step"), name, more.pop("kind", "epoch"), -1),
        "on_step": False,
        "on_epoch": True,
        "sync_dist": False,
        "reduce_fx": "mean",
        "rank_zero_only": False,
        "logger": True,
        "prog_bar": False,
        "source": "tensor",
        "called": np.asarray(called),
        "ended": ~np.isnan(ended),
        "calls": calls,
        "order": np.zeros(len(local), dtype=np.int64),
        "nonfinite": np.zeros(len(local), dtype=np.int64),
        "local": values,
        "ranks": ended,
        "reduction": "rank-local",
        **more,
    }
    row = LoggedRow(**known)
    if row.global_ is not None and row.ended.any():
        row = replace(row, gap=float(row.ranks[row.ended][0]) - row.global_)
    return row


def measured_row(key: RowKey, values: Sequence[float], global_: float | None, **more: Any) -> Row:
    ranks = np.array(values, dtype=np.float64)
    known: dict[str, Any] = {
        "cls": "MulticlassF1Score",
        "average": "macro",
        "own": True,
        "label": None,
        "present": ~np.isnan(ranks),
        "samples": np.full(len(ranks), -1),
        "mean": float(ranks.mean()),
        "gap": None,
        **more,
    }
    return Row(key=key, values=ranks, global_=global_, **known)


def metric(path: str, name: str = "MulticlassF1Score", *states: StateSpec, **more: Any) -> Any:
    base = f"torchmetrics.classification.{name}"
    return TrackedMetric(**{"path": path, "cls": base, "base": base, "states": states, **more})


def spec(name: str, reduction: Any = "sum", **more: Any) -> StateSpec:
    return StateSpec(name=name, reduction=reduction, **more)


def array(values: Any, dtype: str = "int64") -> Any:
    return from_numpy(np.array(values, dtype=dtype))


def state(
    *metrics: MetricState, key: PassKey = KEY, step: int = 0, steps: int | None = 1, **more: Any
) -> State:
    return State(
        stage=key.stage,
        pass_=key.pass_,
        epoch=key.epoch,
        dataloader=key.dataloader,
        step=step,
        steps=steps,
        metrics=metrics,
        declare=1,
        **more,
    )


def updated(*tensors: Any, updates: int = 1, fresh: int = 1, index: int = 0) -> MetricState:
    return MetricState(metric=index, updates=updates, fresh=fresh, states=tensors)


def loader_pass(
    states: Sequence[State],
    *metrics: TrackedMetric,
    rows: Sequence[Row] = (),
    key: PassKey = KEY,
    earlier: Sequence[State] = (),
) -> LoaderPass:
    declare = Declare(version=1, metrics=metrics)
    table = Table(
        key=key,
        step=0,
        steps=1,
        final=True,
        rows=tuple(rows),
        samples=np.array([s.samples or -1 for s in states]),
        rank_steps=np.array([s.step for s in states]),
    )
    return LoaderPass(
        key=key,
        states=dict(enumerate(states)),
        declares=dict.fromkeys(range(len(states)), declare),
        table=table,
        earlier=dict(enumerate(earlier)),
    )


def logged_key(name: str = "val_f1", hook: str = "validation_step", **more: Any) -> LoggedKey:
    return LoggedKey(hook=hook, name=name, on_epoch=True, calls=more.pop("calls", 1), **more)


def said(*keys: LoggedKey, key: PassKey = KEY, final: bool = True, **more: Any) -> Logged:
    numbered = (each.order for each in keys)
    assert list(numbered) in ([0] * len(keys), list(range(len(keys)))), "say the order of all keys"
    emitted = tuple(Emitted(key=i, name=each.name, kind="epoch") for i, each in enumerate(keys))
    return Logged(
        stage=key.stage,
        pass_=key.pass_,
        epoch=key.epoch,
        step=more.pop("step", 0),
        final=final,
        keys=keys,
        emitted=emitted,
        **more,
    )


def taken(
    *rows: LoggedRow,
    loaders: Sequence[LoaderPass] = (),
    words: Sequence[Logged] | Mapping[int, Logged] = (),
    key: PassKey = KEY,
    final: bool = True,
) -> PassEvidence:
    return PassEvidence(
        key=key,
        loaders=tuple(loaders),
        logged=LoggedTable(key, 0, final, rows) if rows else None,
        said=words if isinstance(words, Mapping) else dict(enumerate(words)),
    )


def evidence(*passes: PassEvidence, world_size: int = 2, **more: Any) -> Evidence:
    return Evidence(now=10.0, world_size=world_size, passes=passes, **more)


def declared(**more: Any) -> Declare:
    return Declare(version=1, **more)


def info(rank: int, status: Any = "live", **more: Any) -> RankInfo:
    return RankInfo(rank=rank, status=status, node="n0", pid=100 + rank, **more)


def hello(rank: int = 0, **more: Any) -> Hello:
    known = {"name": "toy", "world_size": 2, "node": "n0", "pid": 100 + rank, "started": 0.0}
    return Hello(**{**known, **more})


def the_only(rule: Rule, of: Evidence) -> Finding:
    (finding,) = rule(of)
    return finding


def nothing(rule: Rule, of: Evidence) -> bool:
    return not list(rule(of))


__all__ = [
    "F1",
    "KEY",
    "NAN",
    "ListSize",
    "Loader",
    "Progress",
    "Pulse",
    "Use",
    "array",
    "declared",
    "evidence",
    "hello",
    "info",
    "loader_pass",
    "logged_key",
    "logged_row",
    "measured_row",
    "metric",
    "nothing",
    "said",
    "spec",
    "state",
    "taken",
    "the_only",
    "updated",
]
