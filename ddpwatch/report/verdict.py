"""Does a recording pass the check? What counts against it, run by run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ddpwatch.board.snapshot import Severity
from ddpwatch.findings.rule import is_at_least
from ddpwatch.report.document import FindingEntry, Report, RunEntry
from ddpwatch.report.selection import Selection

FAILED = 1
"""Exit code where something counts."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One run: findings that `counts` hold against it, those too slight, and how many left out."""

    run: RunEntry
    counts: tuple[FindingEntry, ...]
    slight: tuple[FindingEntry, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """All runs of a recording, under the same selection and bound."""

    runs: tuple[Judged, ...]
    selection: Selection
    bound: Severity

    @property
    def code(self) -> int:
        """The exit code: 1 if anything counts, else 0."""
        return FAILED if any(run.counts for run in self.runs) else 0


def judge(reports: Iterable[Report], selection: Selection, bound: Severity) -> Verdict:
    """Hold every run's findings against what was asked for."""
    return Verdict(tuple(_judged(each, selection, bound) for each in reports), selection, bound)


def summary(judged: Judged, bound: Severity) -> str:
    """Say in one line how many findings count, and how many do not.

    The run's name is not in it.
    """
    counted = len(judged.counts)
    found = f"{counted or 'no'} finding{'' if counted == 1 else 's'} of severity {bound}"
    parts = [found + (" or above" if bound != "error" else "")]
    if judged.slight:
        parts.append(f"{len(judged.slight)} below it")
    if judged.left_out:
        parts.append(f"{judged.left_out} left out by --select or --ignore")
    return ", ".join(parts)


def _judged(report: Report, selection: Selection, bound: Severity) -> Judged:
    taken = [finding for finding in report.findings if selection.takes(finding.code)]
    return Judged(
        run=report.run,
        counts=tuple(finding for finding in taken if is_at_least(finding.severity, bound)),
        slight=tuple(finding for finding in taken if not is_at_least(finding.severity, bound)),
        left_out=len(report.findings) - len(taken),
    )
