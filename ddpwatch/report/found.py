"""How is a finding told while a run goes on, and does what was found make the command fail?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ddpwatch.board.findings_told import Case, case_of
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import Finding, Severity
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.text import visible


class Herald:
    """Tells every finding once, and once more where it has become graver."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        """`diagnosis` keeps what it has found; a board may ask the same one."""
        self._diagnosis = diagnosis
        self._told: dict[tuple[str, Case], Severity] = {}

    def news(self, run: Run, now: float) -> Iterator[str]:
        """Yield lines about what has been found since the last call."""
        yield from self._new(run, self._diagnosis.findings(run, now))

    def last_news(self, run: Run, now: float) -> Iterator[str]:
        """Yield what is left to tell of a run from which nothing more will come."""
        yield from self._new(run, self._diagnosis.conclude(run, now))

    def _new(self, run: Run, findings: Iterable[Finding]) -> Iterator[str]:
        for finding in findings:
            case = (run.run, case_of(finding))
            if self._told.get(case) != finding.severity:
                self._told[case] = finding.severity
                yield from lines(finding)

    def gravest(self, runs: Iterable[Run], now: float) -> set[Severity]:
        """Return the severities of all that was found."""
        return {found.severity for run in runs for found in self._diagnosis.conclude(run, now)}


def lines(finding: Finding) -> Iterator[str]:
    """One line with the numbers; below it the way to put it right."""
    yield f"{finding.severity} {finding.code} {visible(finding.message)}"
    for line in finding.fix.splitlines():
        yield f"    {visible(line)}"
    yield f"    why: ddpwatch explain {finding.code}"
