"""What is said of a printed line?"""

from __future__ import annotations

from collections.abc import Iterable

from ddpwatch.board.snapshot import OutputLine
from ddpwatch.numbers import clock
from ddpwatch.text import pad, truncate, visible
from ddpwatch.tui.widgets.finding_model import rank_list
from ddpwatch.tui.widgets.tones import Span, Spans, Tone

STREAMS: dict[str, tuple[str, Tone]] = {
    "stdout": ("out", "muted"),
    "stderr": ("err", "worst"),
    "logging": ("log", "muted"),
}


def head(width: int) -> Spans:
    """The heads of the columns."""
    titles = {"at": "at", "ranks": "ranks", "stream": "by", "place": "in", "hook": "hook"}
    return tuple(Span(pad(titles.get(name, "line"), w), "muted") for name, w in _layout(width))


def output_line(line: OutputLine, width: int, started: float = 0.0) -> Spans:
    """One line in `width` cells; `started` is when the run began."""
    word, tone = STREAMS.get(line.stream, ("?", "muted"))
    times = f" ×{line.count}" if line.count > 1 else ""
    where = f"{visible(line.stage).replace('_', ' ')} {line.epoch}"
    several = len(line.ranks) > 1
    texts: dict[str, tuple[str, Tone]] = {
        "at": (clock(line.at - started), "muted"),
        "ranks": (rank_list(line.ranks) + times, "worst" if several else "strong"),
        "stream": (word, tone),
        "place": (where if line.stage else "", "muted"),
        "hook": (visible(line.hook), "muted"),
        "text": (visible(line.text.replace("\t", "    ")), "plain"),
    }
    return tuple(
        Span(pad(truncate(texts[name][0], max(0, cells - 1)), cells), texts[name][1])
        for name, cells in _layout(width)
    )


def matching(lines: Iterable[OutputLine], needle: str) -> tuple[OutputLine, ...]:
    """Lines in which every word of `needle` stands; `rank:N` keeps those of a rank."""
    words = needle.casefold().split()
    return tuple(line for line in lines if all(_has(line, word) for word in words))


def _has(line: OutputLine, word: str) -> bool:
    name, colon, number = word.partition(":")
    if name in ("rank", "r") and colon:
        return not number.isdecimal() or int(number) in line.ranks
    return word in f"{line.text} {line.hook} {line.stage} {line.stream}".casefold()


def _layout(width: int) -> list[tuple[str, int]]:
    fixed = [("ranks", 10), ("stream", 5)]
    if width >= 54:
        fixed.insert(0, ("at", 8))
    if width >= 76:
        fixed.append(("place", 17))
    if width >= 110:
        fixed.append(("hook", 27))
    rest = max(8, width - sum(cells for _, cells in fixed))
    return [*fixed, ("text", rest)]
