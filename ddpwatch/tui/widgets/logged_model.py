"""What stands in the lines of the Logged screen: of a key, or of calls on a logger?"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ddpwatch.board.snapshot import BoolArray, FloatArray, LoggedRow, LoggerRow, Reduction
from ddpwatch.numbers import ABSENT, count, plain_number
from ddpwatch.text import visible, wrap
from ddpwatch.tui.widgets.finding_model import rank_list
from ddpwatch.tui.widgets.tones import Span, Spans, Tone, flow

Mode: TypeAlias = Literal["before", "after", "calls"]
"""What the ranks' columns show: values before any sync, those ended with, or how often called."""

MODES: tuple[Mode, ...] = ("before", "after", "calls")
MODE_WORDS: dict[Mode, str] = {
    "before": "each rank's own value, before any sync",
    "after": "what each rank ended with",
    "calls": "order and number of calls",
}

HOLE = "∅"
"""The rank never logged the key, though another rank did."""

PENDING = "…"
"""The rank has logged the key; what it will end with is not known before the pass is over."""

_WORDS: dict[Reduction, tuple[str, Tone]] = {
    "state-reduced": ("✓", "good"),
    "unknown": ("?", "muted"),
    "rank-local": ("◐", "worst"),
}

Cell: TypeAlias = Callable[[int, int], tuple[str, Tone]]
"""From a rank and a width to text and tone."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One line, its texts safe to draw.

    `facts` say how the value was logged, the most telling first; `holes` are ranks that never
    logged what others did, None where that means nothing.
    """

    key: Hashable
    name: str
    word: str
    word_tone: Tone
    cell: Cell
    row: LoggedRow | LoggerRow
    global_: float | None = None
    logged: float | None = None
    gap: float | None = None
    codes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    holes: BoolArray | None = None


def key_entry(row: LoggedRow, mode: Mode) -> Entry:
    """The line of an emitted name."""
    glyph, tone = _WORDS.get(row.reduction, ("≈", "plain"))
    logged = float(row.ranks[0]) if len(row.ended) and row.ended[0] else None
    return Entry(
        row.id,
        visible(row.id.name),
        f"{glyph} {row.reduction}",
        tone,
        lambda rank, width: _key_cell(row, mode, rank, width),
        row,
        row.global_,
        logged,
        row.gap,
        row.codes,
        _facts(row),
        ~row.called if row.called.any() else None,
    )


def call_entry(row: LoggerRow) -> Entry:
    """The line of calls with one method and tag."""
    return Entry(
        (row.logger, row.method, row.tag, row.hook, row.stage),
        visible(f"{row.method} {row.tag}".strip()),
        visible(row.logger),
        "muted",
        lambda rank, width: _call_cell(row, rank, width),
        row,
    )


def strip_of(row: LoggedRow | LoggerRow, mode: Mode) -> tuple[FloatArray, BoolArray, BoolArray]:
    """One value for each rank, whether it has one, and whether it is a hole."""
    if isinstance(row, LoggerRow):
        return row.values, row.calls > 0, np.zeros(len(row.calls), dtype=bool)
    holes = ~row.called & row.called.any()
    if mode == "calls":
        return row.calls.astype(np.float64), row.called, holes
    if mode == "after":
        return row.ranks, row.ended, holes
    return row.local, row.has_local, holes


def matches(entry: Entry, needle: str) -> bool:
    """Whether every word of `needle` stands in some text of the line."""
    hay = f"{entry.name} {entry.word} {' '.join(entry.codes)} {_hook(entry.row)}".casefold()
    return all(word in hay for word in needle.casefold().split())


def detail_lines(entry: Entry, width: int) -> list[Spans]:
    """All that is known of a line."""
    if isinstance(entry.row, LoggerRow):
        return list(_call_details(entry.row, width))
    return list(_key_details(entry.row, width))


def _facts(row: LoggedRow) -> tuple[str, ...]:
    """How the key was logged, in a few words each, beside what its reduction already says."""
    goes = "+".join(word for word, on in (("logger", row.logger), ("bar", row.prog_bar)) if on)
    # Lightning leaves the sync of a metric object to the object, whatever `sync_dist` says.
    is_object = row.source.startswith("metric ")
    return (
        "object" if is_object else "sync" if row.sync_dist else "no sync",
        ABSENT if is_object else visible(row.reduce_fx, 8),
        visible(row.source, 32),
        visible(row.id.hook, 32),
        f"to {goes}" if goes else "to nowhere",
    )


def _hook(row: LoggedRow | LoggerRow) -> str:
    return row.id.hook if isinstance(row, LoggedRow) else row.hook


def _key_cell(row: LoggedRow, mode: Mode, rank: int, width: int) -> tuple[str, Tone]:
    if not row.called[rank]:
        return (HOLE, "bad") if row.called.any() else (ABSENT, "faint")
    if mode == "calls":
        orders = row.order[row.called]
        same = bool((orders == orders[0]).all())
        text = f"#{row.order[rank] + 1} ×{row.calls[rank]}"
        return (text if len(text) <= width else f"×{row.calls[rank]}"), (
            "plain" if same else "worst"
        )
    if mode == "after" and not row.ended[rank]:
        return PENDING, "muted"
    number = float((row.ranks if mode == "after" else row.local)[rank])
    if mode == "before" and math.isnan(number) and not row.nonfinite[rank]:
        return ABSENT, "faint"
    return plain_number(number, width), "plain" if math.isfinite(number) else "bad"


def _call_cell(row: LoggerRow, rank: int, width: int) -> tuple[str, Tone]:
    if not row.calls[rank]:
        return ABSENT, "faint"
    number = float(row.values[rank])
    text = plain_number(number, width - 2) if not math.isnan(number) else f"×{row.calls[rank]}"
    return (f"{text} ✓", "plain") if row.written[rank] else (f"{text} ✗", "worst")


def _key_details(row: LoggedRow, width: int) -> Iterator[Spans]:
    when = " and ".join(w for w, on in (("step", row.on_step), ("epoch", row.on_epoch)) if on)
    goes = " and ".join(w for w, on in (("logger", row.logger), ("bar", row.prog_bar)) if on)
    groups: list[Spans] = [
        (Span(visible(row.id.name, 60), "strong"),),
        _fact("in", row.id.hook),
        _fact("from a" if row.source == "tensor" else "from", row.source),
        _fact("per", when or ABSENT),
        _fact("sync_dist", str(row.sync_dist)),
        _fact("reduce_fx", row.reduce_fx),
        _fact("to", goes or "neither logger nor bar"),
    ]
    if row.rank_zero_only:
        groups.append((Span("rank_zero_only", "strong"),))
    yield from flow(groups, width)
    glyph, tone = _WORDS.get(row.reduction, ("≈", "plain"))
    told = f": {visible(row.basis)}" if row.basis else ""
    first, *more = wrap(f"{glyph} {row.reduction}{told}", max(20, width), "  ")
    split = len(f"{glyph} {row.reduction}")
    yield Span(first[:split], tone), Span(first[split:], "muted")
    yield from ((Span(line, "muted"),) for line in more[:2])
    aside: list[Spans] = []
    if row.monitored_by:
        aside.append(_fact("watched by", ", ".join(row.monitored_by)))
    if row.metric is not None:
        aside.append(_fact("compared with", f"{row.metric.metric} {row.metric.score}"))
    if row.alias:
        aside.append(_fact("also given out as", row.alias))
    if row.was:
        aside.append(_fact("in the pass before", row.was))
    missing = np.flatnonzero(~row.called)
    if len(missing) and row.called.any():
        aside.append((Span(f"never logged on rank {rank_list(missing.tolist())}", "bad"),))
    nonfinite = np.flatnonzero(row.nonfinite)
    if len(nonfinite):
        aside.append((Span(f"not finite on rank {rank_list(nonfinite.tolist())}", "bad"),))
    yield from flow(aside, width)


def _call_details(row: LoggerRow, width: int) -> Iterator[Spans]:
    made = np.flatnonzero(row.calls)
    lost = [rank for rank in made.tolist() if not row.written[rank]]
    groups: list[Spans] = [
        (Span(visible(f"{row.logger}.{row.method}", 60), "strong"),),
        _fact("tag", row.tag or ABSENT),
        _fact("in", row.hook or ABSENT),
        _fact("stage", row.stage.replace("_", " ") or ABSENT),
        _fact("calls", count(int(row.calls.sum()))),
    ]
    yield from flow(groups, width)
    if lost:
        written = [rank for rank in made.tolist() if row.written[rank]]
        kept = f"written by rank {rank_list(written)}, " if written else ""
        yield (Span(f"{kept}thrown away on rank {rank_list(lost)}", "worst"),)
    elif len(made):
        yield (Span(f"written by rank {rank_list(made.tolist())}", "muted"),)


def _fact(name: str, text: str) -> Spans:
    return Span(f"{name} ", "muted"), Span(visible(text, 60))
