"""How does a verdict become a JUnit file? A suite for each run, in it a test case for each rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from ddpwatch.findings.registry import BY_CODE
from ddpwatch.report.document import FindingEntry
from ddpwatch.report.verdict import Judged, Verdict, summary
from ddpwatch.text import truncate, visible

LONGEST = 10_000
"""Characters of one part of a finding."""

_BREAKS = re.compile(r"\r\n|\r|\n")


def to_junit(verdict: Verdict) -> str:
    """Return the XML, with its declaration, as Jenkins, GitLab and others read it."""
    root = ET.Element("testsuites", name="ddpwatch")
    for judged in verdict.runs:
        _suite(root, judged, verdict)
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")


def _suite(root: ET.Element, judged: Judged, verdict: Verdict) -> None:
    suite = ET.SubElement(root, "testsuite", name=_line(judged.run.name or judged.run.id))
    found = (*judged.counts, *judged.slight)
    codes = [*BY_CODE, *dict.fromkeys(f.code for f in found if f.code not in BY_CODE)]
    for code in codes:
        _case(suite, code, judged, verdict)
    for name, count in (
        ("tests", len(codes)),
        ("failures", len({finding.code for finding in judged.counts})),
        ("skipped", sum(not verdict.selection.takes(code) for code in codes)),
        ("errors", 0),
        ("time", 0),
    ):
        suite.set(name, str(count))
    ET.SubElement(suite, "system-out").text = summary(judged, verdict.bound)


def _case(suite: ET.Element, code: str, judged: Judged, verdict: Verdict) -> None:
    counts = [finding for finding in judged.counts if finding.code == code]
    slight = [finding for finding in judged.slight if finding.code == code]
    title = BY_CODE[code].fault.title if code in BY_CODE else (counts or slight)[0].title
    name = _line(f"{code} {title}")
    # No time is taken by a rule here, but some readers insist on one.
    case = ET.SubElement(suite, "testcase", classname="ddpwatch", name=name, time="0")
    if not verdict.selection.takes(code):
        ET.SubElement(case, "skipped", message="left out by --select or --ignore")
    if counts:
        # Many readers take one failure for each case only, so all of them are in its text.
        more = f" (and {len(counts) - 1} more)" if len(counts) > 1 else ""
        failure = ET.SubElement(case, "failure", type=_line(counts[0].severity))
        failure.set("message", _line(counts[0].message) + more)
        failure.text = _text(counts)
    if slight:
        ET.SubElement(case, "system-out").text = _text(slight)


def _text(findings: Sequence[FindingEntry]) -> str:
    parts = (
        f"{_line(each.severity)}: {_line(each.message)}\n\nwhy: {_lines(each.why)}\n\n"
        f"fix:\n{_lines(each.fix)}"
        for each in findings
    )
    return "\n\n".join(parts)


def _line(text: str) -> str:
    """What XML forbids is what a terminal obeys or hides, and more; all of it becomes visible."""
    return truncate(visible(text), LONGEST)


def _lines(text: str) -> str:
    return "\n".join(_line(line) for line in _BREAKS.split(text[:LONGEST]))
