"""What is said of a rank: in one line of a list, and in full below it?"""

from __future__ import annotations

from collections.abc import Iterable

from ddpwatch.board.snapshot import RankInfo, Status
from ddpwatch.numbers import ABSENT, age, count
from ddpwatch.text import pad, truncate, visible
from ddpwatch.tui.widgets.tones import Span, Spans, Tone, fill

GLYPHS: dict[Status, tuple[str, Tone]] = {
    "unseen": ("◌", "muted"),
    "live": ("●", "good"),
    "silent": ("○", "bad"),
    "ended": ("■", "plain"),
    "failed": ("✗", "bad"),
}

_COLUMNS = (
    ("rank", 6, 0),
    ("status", 10, 0),
    ("node", 14, 0),
    ("pid", 8, 100),
    ("device", 8, 76),
    ("at", 26, 0),
    ("heard", 8, 0),
    ("lost", 8, 100),
    ("hook", 0, 100),
)
"""Title, width, and the line's width from which it is shown. The hook takes what is left over,
the place where it is not shown."""


def head(width: int) -> Spans:
    """The heads of the columns."""
    return tuple(Span(pad(title, cells), "muted") for title, cells in _layout(width))


def rank_line(info: RankInfo, width: int) -> Spans:
    """One rank, in `width` cells."""
    return tuple(
        Span(pad(truncate(text, max(0, cells - 1)), cells), tone)
        for (title, cells), (text, tone) in (
            (column, _cell(column[0], info)) for column in _layout(width)
        )
    )


def matching(ranks: Iterable[RankInfo], needle: str) -> tuple[RankInfo, ...]:
    """Ranks of which some text contains every word of `needle`."""
    words = needle.casefold().split()
    return tuple(info for info in ranks if all(word in _hay(info) for word in words))


def detail_lines(info: RankInfo, width: int, most: int) -> tuple[Spans, ...]:
    """All that is known of a rank, in at most `most` lines; its stack is cut at the top."""
    lines: list[Spans] = [_identity(info, width)]
    if info.exception:
        lines += [(Span(line, "bad"),) for line in _lines(info.exception, width)]
    if info.conflict:
        lines.append((Span("a second living process claims to be this rank", "bad"),))
    trouble = _trouble(info)
    if trouble:
        lines.append((Span(truncate(trouble, width), "worst"),))
    if info.stack:
        lines.append((Span("main thread is in:", "muted"),))
        room = max(0, most - len(lines))
        stack = _lines(info.stack, width)
        lines += [(Span(line, "muted"),) for line in stack[-room:] if room]
    return tuple((Span(" "), *line) for line in lines[:most])


def _layout(width: int) -> list[tuple[str, int]]:
    shown = [(title, cells) for title, cells, least in _COLUMNS if width >= least]
    if width < 76:
        shown = [(title, min(cells, 9) if title == "node" else cells) for title, cells in shown]
    elastic = shown[-1][0] if shown[-1][0] == "hook" else "at"
    rest = max(0, width - sum(cells for title, cells in shown if title != elastic))
    return [(title, rest if title == elastic else cells) for title, cells in shown]


def _cell(title: str, info: RankInfo) -> tuple[str, Tone]:
    glyph, tone = GLYPHS[info.status]
    heard_tone: Tone = "bad" if info.status == "silent" else "plain"
    lost = info.dropped + info.missing
    texts: dict[str, tuple[str, Tone]] = {
        "rank": (str(info.rank), "strong"),
        "status": (f"{glyph} {info.status}", tone),
        "node": (f"{visible(info.node, 11)}:{info.local_rank}" if info.node else ABSENT, "plain"),
        "pid": (str(info.pid) if info.pid else ABSENT, "muted"),
        "device": (visible(info.device) or ABSENT, "muted"),
        "at": (_place(info), "plain"),
        "heard": (age(info.silent_for), heard_tone),
        "lost": (count(lost), "worst" if lost else "faint"),
        "hook": (_hook(info), "muted"),
    }
    return texts[title]


def _place(info: RankInfo) -> str:
    if info.step is None:
        return visible(info.stage) or ABSENT
    return f"{visible(info.stage).replace('_', ' ')} {info.epoch} · step {count(info.step)}"


def _hook(info: RankInfo) -> str:
    if not info.hook or info.status == "ended":
        return ABSENT
    since = f" {age(info.hook_for)}" if info.hook_for is not None and info.hook_for >= 1 else ""
    return f"{visible(info.hook)}{since}"


def _identity(info: RankInfo, width: int) -> Spans:
    glyph, tone = GLYPHS[info.status]
    groups: list[Spans] = [
        (Span(f"rank {info.rank}", "strong"), Span(f"  {glyph} {info.status}", tone))
    ]
    if info.node:
        groups.append(
            (Span(visible(info.node, 40)), Span(f", local rank {info.local_rank}", "muted"))
        )
    if info.pid:
        groups.append((Span("pid ", "muted"), Span(str(info.pid))))
    if info.device:
        groups.append((Span("on ", "muted"), Span(visible(info.device, 20))))
    if info.step_time:
        groups.append((Span("step ", "muted"), Span(f"{info.step_time * 1e3:.3g} ms")))
    if info.hook and info.status != "ended":
        groups.append((Span("in ", "muted"), Span(_hook(info))))
    return fill(groups, width, " · ")


def _trouble(info: RankInfo) -> str:
    counts = (
        (info.dropped, "messages dropped on the rank"),
        (info.missing, "lost on the way"),
        (info.failures, "captures failed"),
        (info.journal_lost, "journal entries given up"),
    )
    return ", ".join(f"{count(number)} {what}" for number, what in counts if number)


def _lines(text: str, width: int) -> list[str]:
    return [visible(line.replace("\t", "  "), width) for line in text.splitlines() if line.strip()]


def _hay(info: RankInfo) -> str:
    parts = (f"rank {info.rank}", info.status, info.node, info.device, info.stage, info.hook)
    return " ".join(parts).casefold()
