"""What is said of a finding: in one line of a list, in a hint, and in full?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ddpwatch.board.snapshot import Finding, Severity
from ddpwatch.text import pad, shorten, truncate, visible, wrap
from ddpwatch.tui.widgets.tones import Span, Spans, Tone, width_of

GLYPHS: dict[Severity, tuple[str, Tone]] = {
    "error": ("✗", "bad"),
    "warning": ("!", "worst"),
    "info": ("i", "muted"),
}
ORDER: tuple[Severity, ...] = ("error", "warning", "info")

CHECKED = (
    (
        "DW1..",
        "what is logged: one rank's own value, averaged ratios, keys that ranks do not share",
    ),
    ("DW2..", "the data: samples counted twice, the same ones on every rank, unequal shares"),
    ("DW3..", "metrics: not reset, shared, unregistered, half precision, lists about to hang"),
    ("DW4..", "ranks: silent, blocked or failed, slow, not-a-number, differing versions"),
)
"""What the rules look at, by the first digit of their codes."""

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


def severities(findings: Iterable[Finding]) -> dict[str, Severity]:
    """The severity of each code: the worst, where findings with one code differ in it."""
    found: dict[str, Severity] = {}
    for finding in by_severity(findings):
        found.setdefault(finding.code, finding.severity)
    return found


def codes_span(codes: Sequence[str], known: Mapping[str, Severity], width: int) -> Span:
    """The most severe code in `width` cells; a `+` says that there are more."""
    if not codes or not width:
        return Span(" " * width)
    first = min(codes, key=lambda code: (ORDER.index(known.get(code, "warning")), code))
    more = "+" if len(codes) > 1 and width > len(first) + 1 else ""
    _, tone = GLYPHS[known.get(first, "warning")]
    return Span(pad(visible(first) + more, width, "right"), tone)


def place(finding: Finding) -> str:
    """Stage and epoch that the newest numbers are of; empty where it is about the run."""
    key = finding.pass_key
    return "" if key is None else f"{key.stage.replace('_', ' ')} {key.epoch}"


def hint_spans(finding: Finding, width: int, *, key: str = "Enter") -> Spans:
    """The finding in a line, and the key that tells more."""
    tail = (Span(f"  {key}", "key"), Span(": why, and the fix", "muted"))
    room = max(16, width - len(finding.code) - 2 - width_of(tail))
    _, tone = GLYPHS[finding.severity]
    return (
        Span(visible(finding.code), tone),
        Span(f" {truncate(visible(finding.message), room)}"),
        *tail,
    )


def tab_span(findings: Sequence[Finding]) -> Span:
    """The number of warnings and errors for the tab, with glyph and tone of the most severe."""
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
    first, *more = wrap(f"{glyph} {finding.severity}  {visible(finding.title)}", width)
    said = len(f"{glyph} {finding.severity}")
    yield Span(first[:said], tone), Span(first[said:], "strong")
    yield from ((Span(line, "strong"),) for line in more)
    yield (Span(truncate(" · ".join(fact for fact in facts if fact), width), "muted"),)
    for heading, text in (("", finding.message), ("Why", finding.why)):
        yield ()
        if heading:
            yield (Span(heading, "strong"),)
        yield from _paragraphs(text, width)
    yield ()
    yield (Span("Fix", "strong"),)
    for line in fix_lines(finding):
        hang = " " * (len(line) - len(line.lstrip()) + 4)
        for part in wrap(line, width - 2, hang):
            yield (Span(f"  {part}", "global"),)
    yield ()
    yield (
        Span("More: ", "muted"),
        Span(f"ddpwatch explain {visible(finding.code)}", "key"),
    )


def checked_lines(width: int) -> Iterator[Spans]:
    """What is looked at while nothing has been found."""
    yield (Span("Checked, from what every rank sends:", "strong"),)
    for codes, what in CHECKED:
        first, *more = wrap(what, max(8, width - len(codes) - 4))
        yield Span(f"  {codes}  ", "key"), Span(first, "muted")
        yield from ((Span(" " * (len(codes) + 4) + line, "muted"),) for line in more)


def fix_lines(finding: Finding) -> list[str]:
    """The fix, line by line, safe to draw and to paste: keys in it come from outside."""
    return [visible(line.replace("\t", "    ")) for line in finding.fix.splitlines()]


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
        yield from ((Span(part),) for part in wrap(visible(line), width))


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
