"""How does a verdict read on a terminal and in a log?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddpwatch.report.document import FindingEntry
from ddpwatch.report.verdict import Judged, Verdict, summary
from ddpwatch.text import visible

_COMMAND = re.compile(r"\s*(::|##\[)")
"""How a line begins that GitHub's runner obeys, wherever it is printed."""


def to_plain(verdict: Verdict) -> str:
    """Return each finding with its fix, then a line that sums up; run by run."""
    return "\n".join(line for run in verdict.runs for line in _run(run, verdict))


def _run(judged: Judged, verdict: Verdict) -> Iterator[str]:
    for finding in (*judged.counts, *judged.slight):
        yield from _finding(finding)
    yield f"run {visible(judged.run.name, 60)}: {summary(judged, verdict.bound)}"


def _finding(finding: FindingEntry) -> Iterator[str]:
    yield unobeyed(
        f"{visible(finding.severity)} {visible(finding.code)} {visible(finding.message)}"
    )
    for line in finding.fix.splitlines():
        yield unobeyed(f"    {visible(line)}")


def unobeyed(line: str) -> str:
    """Return a line that a runner of workflows takes for text."""
    return f"· {line}" if _COMMAND.match(line) else line
