"""What stands in one cell of the table, and what sets it apart without any colour?

Absent, no samples, not-a-number, infinite and zero each read differently.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from rich.cells import cell_len

from ddpwatch.board.snapshot import Row, Severity, Table
from ddpwatch.numbers import ABSENT, EQUAL, count, plain_number, signed
from ddpwatch.text import pad, shorten, truncate, visible
from ddpwatch.tui.widgets.columns import Columns, rank_title
from ddpwatch.tui.widgets.finding_model import codes_span
from ddpwatch.tui.widgets.grid_model import Line
from ddpwatch.tui.widgets.tones import Span, Spans, Tone

NO_SAMPLES = "∅"
LOWEST, HIGHEST, BEHIND, ODD = "▼", "▲", "↓", "!"
DIFFERS, SAME = "≠", "="

DISAGREE = 0.05
"""Ranks whose values are farther apart than this disagree, and the worst is marked."""

BETTER_HIGH = frozenset(
    {
        "accuracy",
        "auroc",
        "average_precision",
        "best_f1",
        "best_precision",
        "best_recall",
        "cohen_kappa",
        "concordance",
        "csi",
        "exact_match",
        "explained_variance",
        "f1",
        "fbeta",
        "jaccard",
        "matthews_corrcoef",
        "npv",
        "pearson",
        "precision",
        "r2",
        "ranking_average_precision",
        "recall",
        "specificity",
    }
)
BETTER_LOW = frozenset({"hamming_distance"})


class Worst(NamedTuple):
    """The worst value of a row, the first rank that has it, and the mark of those that do."""

    rank: int
    value: float
    mark: str


def worst_of(row: Row) -> Worst | None:
    """The worst value; None where ranks agree or no direction is better."""
    low = row.key.score in BETTER_HIGH
    if not low and row.key.score not in BETTER_LOW:
        return None
    usable = row.present & np.isfinite(row.values)
    if np.count_nonzero(usable) < 2:
        return None
    found = row.values[usable]
    if float(found.max() - found.min()) <= DISAGREE:
        return None
    place = int(found.argmin() if low else found.argmax())
    rank = int(np.flatnonzero(usable)[place])
    return Worst(rank, float(found[place]), LOWEST if low else HIGHEST)


def rank_text(row: Row, table: Table, rank: int, width: int = 7) -> tuple[str, Tone]:
    """The value of one rank in a row, or why there is none, and its tone."""
    if not row.present[rank]:
        without = row.samples[rank] == 0 and rank not in table.absent
        return (NO_SAMPLES, "muted") if without else (ABSENT, "faint")
    number = float(row.values[rank])
    return plain_number(number, width), "plain" if math.isfinite(number) else "bad"


def line_spans(
    line: Line, table: Table, columns: Columns, severities: Mapping[str, Severity] | None = None
) -> Spans:
    """All cells of one line; `severities` are those of the codes."""
    if line.key.kind == "classes":
        glyph = "▾" if line.is_open else "▸"
        return (Span(f"  {glyph} {line.name}", "muted"),)
    left = _left(line, columns)
    if line.key.kind == "samples":
        return (*left, *_samples(table, columns, severities or {}))
    if line.row is None:
        return left
    return (*left, *_ranks(line.row, table, columns), *_right(line.row, columns, severities or {}))


def head_spans(table: Table, columns: Columns) -> Spans:
    """The heads of the columns; arrows say that more ranks lie beyond an edge."""
    left = columns.name + (columns.average + 2 if columns.average else 0)
    hidden = f"{columns.world} ranks" if columns.shown < columns.world else ""
    spans = [Span(pad(hidden, left), "faint"), Span("«" if columns.hidden_left else " ", "key")]
    for rank in columns.ranks:
        mark = BEHIND if rank in table.behind else " "
        title = rank_title(rank, columns.world, columns.value)
        spans.append(Span(title.rjust(columns.rank - 1) + mark, "muted"))
    spans += [
        Span("»" if columns.hidden_right else "│", "key" if columns.hidden_right else "faint"),
        Span("mean".rjust(columns.mean) if columns.mean else "", "muted"),
        Span("GLOBAL".rjust(columns.global_), "strong"),
        Span("logged".rjust(columns.logged) if columns.logged else "", "muted"),
        Span("gap".rjust(columns.gap - 2), "muted"),
    ]
    return tuple(span for span in spans if span.text)


def gap_span(gap: float | None, width: int, value: int = 7) -> Span:
    """Mean minus global: a sign, a mark and a tone."""
    text = signed(gap, value)
    if gap is None or not math.isfinite(gap):
        return Span(f"{text}  ".rjust(width), "faint")
    if abs(gap) < EQUAL:
        return Span(f"{text} {SAME}".rjust(width), "good")
    return Span(f"{text} {DIFFERS}".rjust(width), "gap")


def _left(line: Line, columns: Columns) -> Spans:
    inner = line.key.kind == "label"
    tone: Tone = "plain" if inner else "muted" if line.key.kind == "samples" else "strong"
    indent = "    " if inner else ""
    if columns.average:
        name = shorten(line.name, columns.name - len(indent))
        return (
            Span(pad(indent + name, columns.name), tone),
            Span("  " + pad(line.average, columns.average), "muted"),
        )
    room = columns.name - len(indent)
    average = f" {line.average}" if line.average and room >= 12 else ""
    average = truncate(average, room // 2)
    name = indent + shorten(line.name, room - cell_len(average))
    return Span(name, tone), Span(pad(average, columns.name - cell_len(name)), "muted")


def _ranks(row: Row, table: Table, columns: Columns) -> Iterator[Span]:
    worst = worst_of(row)
    yield Span(" ")
    for rank in columns.ranks:
        text, tone = rank_text(row, table, rank, columns.value)
        mark = " "
        if worst is not None and row.present[rank] and row.values[rank] == worst.value:
            mark, tone = worst.mark, "worst"
        elif tone == "bad":
            mark = ODD
        elif rank in table.behind:
            mark, tone = BEHIND, "muted"
        yield Span(text.rjust(columns.rank - 1) + mark, tone)
    yield Span("│", "faint")


def _right(row: Row, columns: Columns, severities: Mapping[str, Severity]) -> Iterator[Span]:
    if columns.mean:
        mean = plain_number(row.mean, columns.value)
        yield Span(mean.rjust(columns.mean), "faint" if row.mean is None else "muted")
    if row.global_ is None:
        room = columns.global_ + columns.logged + columns.gap - 2
        why = visible(row.reason, room) if row.reason else ABSENT
        yield Span(f"  {why.rjust(room)}", "muted")
    else:
        text = plain_number(row.global_, columns.value).rjust(columns.global_)
        yield Span(text, "global" if math.isfinite(row.global_) else "bad")
        if columns.logged:
            logged = plain_number(row.logged_value, columns.value).rjust(columns.logged)
            yield Span(logged, "faint" if row.logged_value is None else "plain")
            yield gap_span(row.logged_gap, columns.gap, columns.value)
        else:
            yield gap_span(row.gap, columns.gap, columns.value)
    yield codes_span(row.codes, severities, columns.codes)


def _samples(table: Table, columns: Columns, severities: Mapping[str, Severity]) -> Iterator[Span]:
    yield Span(" ")
    for rank in columns.ranks:
        text = count(int(table.samples[rank]), columns.value)
        yield Span(text.rjust(columns.rank - 1) + " ", "muted")
    known = table.samples[table.samples >= 0]
    total = count(int(known.sum()), columns.value).rjust(columns.global_)
    yield Span("│", "faint")
    yield Span(" " * columns.mean + total, "muted")
    yield Span(" " * (columns.logged + columns.gap))
    yield codes_span(table.codes, severities, columns.codes)
