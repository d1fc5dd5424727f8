"""What has been proven so far? Every run's findings, kept once found, with their newest numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ddpwatch.board.findings_told import Case, Verdict, case_of
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.gathering import Gathering
from ddpwatch.findings.registry import RULES
from ddpwatch.findings.rule import RANKING, Rule


@dataclass(slots=True)
class Proven:
    """The findings of one run, in the order in which they were first proven."""

    cases: dict[Case, Finding] = field(default_factory=dict)
    _ordered: tuple[Finding, ...] = ()
    _replaced: set[tuple[str, str]] = field(default_factory=set)

    def look(self, evidence: Evidence, rules: Iterable[Rule] = RULES) -> None:
        """Add what the evidence proves; what was proven before gets the newer numbers."""
        evidence = replace(evidence, proven=tuple(self.cases.values()))
        for rule in rules:
            for finding in rule.find(evidence):
                self._replace(rule.fault.replaces, finding.key)
                self._keep(finding, evidence.now)

    def learn(self, verdict: Verdict) -> None:
        """Take over what was proven upstream, where more was seen than here."""
        if verdict.stands:
            self.cases[case_of(verdict.finding)] = verdict.finding
        else:
            self.cases.pop(case_of(verdict.finding), None)

    def ordered(self) -> tuple[Finding, ...]:
        """All of them, the gravest first, then those that were proven first."""
        found = sorted(self.cases.values(), key=_place)
        if tuple(found) != self._ordered:
            self._ordered = tuple(found)
        return self._ordered

    def _replace(self, codes: Iterable[str], key: str) -> None:
        """Take back what was proven of a key too early, for good."""
        for code in codes:
            if (code, key) not in self._replaced:
                self._replaced.add((code, key))
                for case in [c for c in self.cases if (c.code, c.key) == (code, key)]:
                    del self.cases[case]

    def _keep(self, finding: Finding, now: float) -> None:
        if (finding.code, finding.key) in self._replaced:
            return
        case, known = case_of(finding), self.cases.get(case_of(finding))
        if known is None:
            self.cases[case] = replace(finding, first_at=now)
        elif not _is_slighter(finding, known):
            self.cases[case] = replace(finding, first_at=known.first_at)


class Diagnosis:
    """Looks at runs as they go on, whenever a board or a reporter asks."""

    def __init__(self, *, looks: bool = True) -> None:
        """With `looks` False it only learns what others have proven."""
        self._looks = looks
        self._runs: dict[str, tuple[Gathering, Proven]] = {}

    def findings(self, run: Run, now: float) -> tuple[Finding, ...]:
        """Return all findings of a run so far, the gravest first.

        What has changed is looked at a few times a second, however often this is asked; the tuple
        is the same one as long as nothing has changed.
        """
        return self._look(run, now, at_once=False)

    def conclude(self, run: Run, now: float) -> tuple[Finding, ...]:
        """Return all findings of a run with everything looked at that has come."""
        return self._look(run, now, at_once=True)

    def learn(self, run: str, verdict: Verdict) -> None:
        """Take in what somebody upstream has proven, or takes back."""
        self._of(run)[1].learn(verdict)

    def forget(self) -> None:
        """Know nothing of any run any more."""
        self._runs.clear()

    def _look(self, run: Run, now: float, *, at_once: bool) -> tuple[Finding, ...]:
        gathering, proven = self._of(run.run)
        evidence = gathering.evidence(run, now, at_once=at_once) if self._looks else None
        if evidence is not None:
            proven.look(evidence)
        return proven.ordered()

    def _of(self, run: str) -> tuple[Gathering, Proven]:
        known = self._runs.get(run)
        if known is None:
            known = self._runs[run] = (Gathering(), Proven())
        return known


def _place(finding: Finding) -> tuple[int, float, Case]:
    """Where it stands; decided by the finding alone, so that every viewer has the same order."""
    return -RANKING.index(finding.severity), finding.first_at, case_of(finding)


def _is_slighter(one: Finding, other: Finding) -> bool:
    return RANKING.index(one.severity) < RANKING.index(other.severity)
