"""What is said of a finding: in one line of a list, in a hint, and in full?"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ddpwatch.board.snapshot import Finding, Row, Severity
from ddpwatch.text import pad, shorten, truncate, visible
from ddpwatch.tui.widgets.tones import Span, Spans, Tone

GLYPHS: dict[Severity, tuple[str, Tone]] = {
    "error": ("✗", "bad"),
    "warning": ("!", "worst"),
    "info": ("i", "muted"),
}
ORDER: tuple[Severity, ...] = ("error", "warning", "info")

_PLACE_FROM, _KEY_FROM = 100, 64


def by_severity(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The most severe first, and of those the newest."""
    return tuple(sorted(findings, key=lambda f: (ORDER.index(f.severity), -f.first_at, f.code)))


def matching(findings: Iterable[Finding], needle: str) -> tuple[Finding, ...]:
    """Findings of which some text contains every word of `needle`."""
    words = needle.casefold().split()
    return tuple(f for f in findings if all(word in _hay(f) for word in words))


def counts(findings: Iterable[Finding]) -> Counter[Severity]:
    """How many there are of each severity."""
    return Counter(finding.severity for finding in findings)


def worst_severity(findings: Iterable[Finding]) -> Severity | None:
    """The most severe one's, None where there is none."""
    there = counts(findings)
    return next((severity for severity in ORDER if there[severity]), None)


def head(width: int) -> Spans:
    """The heads of the columns."""
    titles = {"severity": "severity", "code": "code", "place": "in", "key": "about"}
    return tuple(Span(pad(titles.get(name, "finding"), w), "muted") for name, w in _layout(width))


def finding_line(finding: Finding, width: int) -> Spans:
    """One finding in `width` cells."""
    glyph, tone = GLYPHS[finding.severity]
    texts: dict[str, tuple[str, Tone]] = {
        "severity": (f"{glyph} {finding.severity}", tone),
        "code": (visible(finding.code), "key"),
        "place": (place(finding), "muted"),
        "key": (shorten(visible(finding.key), 22), "strong"),
        "message": (visible(finding.message), "plain"),
    }
    return tuple(
        Span(pad(truncate(texts[name][0], max(0, cells - 1)), cells), texts[name][1])
        for name, cells in _layout(width)
    )


def is_about(finding: Finding, name: str) -> bool:
    """Whether a finding is about this emitted name or metric path."""
    key = finding.key
    return bool(key) and key in (name, name.removesuffix("_step"), name.removesuffix("_epoch"))


def about_row(findings: Iterable[Finding], row: Row) -> tuple[Finding, ...]:
    """The findings that a row's codes stand for, the most severe first."""
    names = [row.key.metric, *([row.logged.name] if row.logged else [])]
    return by_severity(
        finding
        for finding in findings
        if finding.code in row.codes and any(is_about(finding, name) for name in names)
    )


def place(finding: Finding) -> str:
    """Stage and epoch that the newest numbers are of; empty where it is about the run."""
    key = finding.pass_key
    return "" if key is None else f"{key.stage.replace('_', ' ')} {key.epoch}"


def hint_spans(finding: Finding, width: int, *, key: str = "Enter") -> Spans:
    """The finding in a line, and the key that tells more."""
    tail = (Span(f"  {key}", "key"), Span(": why, and the fix", "muted"))
    room = max(16, width - len(finding.code) - 2 - sum(len(span.text) for span in tail))
    _, tone = GLYPHS[finding.severity]
    return (
        Span(visible(finding.code), tone),
        Span(f" {truncate(visible(finding.message), room)}"),
        *tail,
    )


def tab_span(findings: Sequence[Finding]) -> Span:
    """The number of warnings and errors for the tab, in the tone of the most severe."""
    there = counts(findings)
    serious = there["error"] + there["warning"]
    worst = worst_severity(findings)
    if worst is None or not serious:
        return Span(f"{len(findings)} " if findings else "", "muted")
    return Span(f"{serious}{'✗' if worst == 'error' else '!'} ", GLYPHS[worst][1])


def full_lines(finding: Finding, width: int) -> Iterator[Spans]:
    """Everything: the message, why it happens, the fix, and where to read on."""
    glyph, tone = GLYPHS[finding.severity]
    facts = [place(finding), f"about {visible(finding.key, 60)}" if finding.key else ""]
    if finding.ranks:
        facts.append(f"rank{'s' * (len(finding.ranks) > 1)} {rank_list(finding.ranks)}")
    yield Span(f"{glyph} {finding.severity}", tone), Span(f"  {visible(finding.title)}", "strong")
    yield (Span(truncate(" · ".join(fact for fact in facts if fact), width), "muted"),)
    for heading, text in (("", finding.message), ("Why", finding.why)):
        yield ()
        if heading:
            yield (Span(heading, "strong"),)
        yield from _paragraphs(text, width)
    yield ()
    yield (Span("Fix", "strong"),)
    for line in finding.fix.splitlines():
        shown = visible(line.replace("\t", "    "))
        for part in _cut(shown, width - 2):
            yield (Span(f"  {part}", "global"),)
    yield ()
    yield (
        Span("More: ", "muted"),
        Span(f"ddpwatch explain {visible(finding.code)}", "key"),
    )


def rank_list(ranks: Sequence[int]) -> str:
    """Name ranks briefly, with runs of neighbours as one.

    >>> rank_list((0, 1, 2, 3, 7))
    '0-3,7'
    """
    groups: list[list[int]] = []
    for rank in sorted(ranks):
        if groups and rank == groups[-1][-1] + 1:
            groups[-1].append(rank)
        else:
            groups.append([rank])
    return ",".join(_run(group) for group in groups)


def _run(group: Sequence[int]) -> str:
    if len(group) == 1:
        return str(group[0])
    return f"{group[0]}{',' if len(group) == 2 else '-'}{group[-1]}"


def _paragraphs(text: str, width: int) -> Iterator[Spans]:
    for line in text.splitlines():
        for part in textwrap.wrap(visible(line), width) or [""]:
            yield (Span(part),)


def _cut(text: str, width: int) -> list[str]:
    """Break a line of code where its width ends; nothing of it is lost."""
    if len(text) <= width:
        return [text]
    indent = len(text) - len(text.lstrip())
    return textwrap.wrap(
        text, width, subsequent_indent=" " * (indent + 4), drop_whitespace=False
    )  # fmt: skip


def _layout(width: int) -> list[tuple[str, int]]:
    fixed = [("severity", 10), ("code", 6)]
    if width >= _PLACE_FROM:
        fixed.append(("place", 18))
    if width >= _KEY_FROM:
        fixed.append(("key", 18 if width < _PLACE_FROM else 24))
    rest = max(8, width - sum(cells for _, cells in fixed))
    return [*fixed, ("message", rest)]


def _hay(finding: Finding) -> str:
    parts = (finding.code, finding.severity, finding.key, finding.message, place(finding))
    return " ".join(parts).casefold()
