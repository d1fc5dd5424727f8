"""How does a verdict read for programs?"""

from __future__ import annotations

import msgspec

from ddpwatch.report.document import FindingEntry
from ddpwatch.report.verdict import Judged, Verdict


class RunVerdict(msgspec.Struct, frozen=True):
    """One run: what counts against it, what is too slight to, and how many codes left out."""

    id: str
    name: str
    passed: bool
    counts: list[FindingEntry]
    slight: list[FindingEntry]
    left_out: int


class VerdictEntry(msgspec.Struct, frozen=True):
    """All runs, and what they were held to."""

    passed: bool
    fail_on: str
    select: list[str]
    ignore: list[str]
    runs: list[RunVerdict]


def to_json(verdict: Verdict) -> str:
    """Render as indented JSON with a fixed order of keys."""
    entry = VerdictEntry(
        passed=verdict.code == 0,
        fail_on=verdict.bound,
        select=list(verdict.selection.select),
        ignore=list(verdict.selection.ignore),
        runs=[_run(judged) for judged in verdict.runs],
    )
    return msgspec.json.format(msgspec.json.encode(entry), indent=2).decode()


def _run(judged: Judged) -> RunVerdict:
    return RunVerdict(
        id=judged.run.id,
        name=judged.run.name,
        passed=not judged.counts,
        counts=list(judged.counts),
        slight=list(judged.slight),
        left_out=judged.left_out,
    )
