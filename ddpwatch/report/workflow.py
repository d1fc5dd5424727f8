"""How does a verdict become annotations of a GitHub workflow?

The runner reads commands from the log: `::warning title=...::message`. A line break, or a percent
sign that is not escaped, would let text from outside end one command and begin another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddpwatch.report.document import FindingEntry
from ddpwatch.report.verdict import Verdict, summary
from ddpwatch.text import truncate, visible

LONGEST = 4_000
"""Characters of one part of an annotation."""

_LEVELS = {"info": "notice", "warning": "warning"}
_BREAKS = re.compile(r"\r\n|\r|\n")


def to_annotations(verdict: Verdict) -> str:
    """Return a command for every finding, then a plain line for each run."""
    return "\n".join(_lines(verdict))


def command(level: str, title: str, message: str) -> str:
    r"""Return one workflow command.

    >>> command("error", "a, b: c", "50 %\nof all")
    '::error title=a%2C b%3A c::50 %25%0Aof all'
    """
    return f"::{level} title={_property(title)}::{_data(message)}"


def _lines(verdict: Verdict) -> Iterator[str]:
    for run in verdict.runs:
        for finding in (*run.counts, *run.slight):
            yield _annotation(finding, run.run.name if len(verdict.runs) > 1 else "")
        yield f"run {visible(run.run.name, 60)}: {summary(run, verdict.bound)}"


def _annotation(finding: FindingEntry, run: str) -> str:
    title = " ".join(part for part in (finding.code, finding.title, run and f"({run})") if part)
    text = "\n".join((finding.message, finding.why, finding.fix))
    return command(_LEVELS.get(finding.severity, "error"), title, text)


def _data(text: str) -> str:
    lines = [visible(line) for line in _BREAKS.split(text)]
    shown = truncate("\n".join(lines), LONGEST)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
