"""What does a comparison hold? Plain data, ready for JSON, written as a report is."""

from __future__ import annotations

import msgspec

from ddpwatch.report.document import Number


class SideEntry(msgspec.Struct, frozen=True):
    """One run: how wide, and how fast it trained (of one rank; None where not known)."""

    id: str
    name: str
    world_size: int
    steps_per_second: float | None
    seconds_per_epoch: float | None


class PassEntry(msgspec.Struct, frozen=True, rename={"pass_": "pass"}):
    """Which pass of a stage was compared."""

    pass_: int
    epoch: int
    global_step: int
    step: int
    final: bool


class PassPair(msgspec.Struct, frozen=True):
    """The last pass of a stage over a dataloader, on each side; None where it has none."""

    stage: str
    dataloader: int
    a: PassEntry | None
    b: PassEntry | None


class Values(msgspec.Struct, frozen=True, rename={"global_": "global"}):
    """A row's value over all ranks, the mean of ranks, and what rank 0 logged of it."""

    global_: Number
    mean_of_ranks: Number
    logged: Number


class MetricPair(msgspec.Struct, frozen=True):
    """One row on both sides, or on the one that has it; `own` as in a report."""

    stage: str
    dataloader: int
    name: str
    score: str
    own: bool
    average: str
    label: str | None
    a: Values | None
    b: Values | None
    difference: Values | None


class LoggedValue(msgspec.Struct, frozen=True):
    """What rank 0 ended with under a key, and how that came about."""

    value: Number
    reduction: str


class LoggedPair(msgspec.Struct, frozen=True):
    """One logged name on both sides, or on the one that has it."""

    stage: str
    dataloader: int
    key: str
    hook: str
    a: LoggedValue | None
    b: LoggedValue | None
    difference: Number


class FindingPair(msgspec.Struct, frozen=True):
    """A fault of a code, key and stage; `a` and `b` are its severities, None where it is not."""

    code: str
    title: str
    key: str
    stage: str | None
    a: str | None
    b: str | None


class Found(msgspec.Struct, frozen=True):
    """Faults by where they were found."""

    only_a: list[FindingPair]
    only_b: list[FindingPair]
    both: list[FindingPair]


class Comparison(msgspec.Struct, frozen=True):
    """Two runs side by side."""

    a: SideEntry
    b: SideEntry
    passes: list[PassPair]
    metrics: list[MetricPair]
    logged: list[LoggedPair]
    findings: Found


def to_json(comparison: Comparison) -> str:
    """Render as indented JSON with a fixed order of keys."""
    return msgspec.json.format(msgspec.json.encode(comparison), indent=2).decode()
