"""What is a rule? A fault with a code, and a function that proves it from evidence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ddpwatch.board.snapshot import Finding, PassKey, Severity
from ddpwatch.findings.evidence import Evidence

Find: TypeAlias = Callable[[Evidence], Iterator[Finding]]

RANKING: tuple[Severity, ...] = ("info", "warning", "error")
"""Severities, the slightest first."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What all findings of one code have in common; `severity` is the one without conditions.

    `replaces` are the codes that this one makes untrue of the same key: a viewer that came late may
    have proven them from the half that it saw.
    """

    code: str
    severity: Severity
    title: str
    why: str
    replaces: tuple[str, ...] = ()

    def finding(
        self,
        message: str,
        fix: str,
        *,
        key: str = "",
        ranks: Collection[int] = (),
        pass_key: PassKey | None = None,
        severity: Severity | None = None,
        why: str = "",
    ) -> Finding:
        """One case of this fault, with its numbers in `message`."""
        return Finding(
            code=self.code,
            severity=severity or self.severity,
            title=self.title,
            message=message,
            why=why or self.why,
            fix=fix,
            key=key,
            ranks=tuple(sorted(ranks)),
            pass_key=pass_key,
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """A fault and how it is found."""

    fault: Fault
    find: Find


def is_at_least(severity: Severity, bound: Severity) -> bool:
    """Whether a severity is `bound` or graver."""
    return RANKING.index(severity) >= RANKING.index(bound)
