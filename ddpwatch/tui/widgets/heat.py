"""How are two thousand ranks seen at once? A strip of blocks, and its extremes in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddpwatch.board.snapshot import BoolArray, FloatArray, Row, Table
from ddpwatch.numbers import ABSENT, plain_number
from ddpwatch.tui.widgets.cells import NO_SAMPLES, ODD, worst_of
from ddpwatch.tui.widgets.tones import Span, Spans, Tone, fill

BLOCKS = "▁▂▃▄▅▆▇█"


def heat_spans(row: Row, table: Table, seen: range, width: int) -> tuple[Spans, Spans]:
    """Return the strip of a metric's row and its legend."""
    no_samples = row.samples == 0
    no_samples[list(table.absent)] = False
    worst = worst_of(row)
    return strip_spans(
        row.values,
        row.present,
        no_samples & ~row.present,
        seen,
        width,
        worst=worst.rank if worst else None,
    )


def strip_spans(
    values: FloatArray,
    present: BoolArray,
    empty: BoolArray,
    seen: range,
    width: int,
    *,
    worst: int | None = None,
) -> tuple[Spans, Spans]:
    """Return the strip of one value a rank, and its legend.

    Ranks in `seen` are drawn brighter: the table shows them. `empty` ranks are marked: it is known
    that they have none. Where ranks share a cell, it shows an odd or an empty one of them, else the
    one farthest from the median of all.
    """
    world = len(values)
    head = Span(" rank 0 ", "muted")
    tail = Span(f" {world - 1}", "muted")
    cells = min(world, width - len(head.text) - len(tail.text) - 1)
    if cells < 1:
        return (), ()
    edges = np.arange(cells) * world // cells
    usable = present & np.isfinite(values)
    strip = _strip(values, usable, present & ~usable, empty, edges)
    bright = (edges + world // cells > seen.start) & (edges < seen.stop)
    at = -1 if worst is None else int(np.searchsorted(edges, worst, side="right")) - 1
    words = _words(values, usable, width, cells)
    return (head, *_runs(strip, bright, at), tail), words


def _strip(
    values: FloatArray,
    usable: BoolArray,
    odd: BoolArray,
    empty: BoolArray,
    edges: NDArray[np.int_],
) -> list[str]:
    blocks = _blocks(np.where(usable, values, np.nan), edges)
    is_odd = np.logical_or.reduceat(odd, edges)
    is_empty = np.logical_or.reduceat(empty, edges)
    return [
        ODD if bad else NO_SAMPLES if hole else block or "·"
        for bad, hole, block in zip(is_odd, is_empty, blocks, strict=True)
    ]


def _blocks(values: FloatArray, edges: NDArray[np.int_]) -> list[str]:
    """One block for each cell, empty where none of its ranks has a value."""
    if np.isnan(values).all():
        return [""] * len(edges)
    middle = np.nanmedian(values)
    low, high = np.fmin.reduceat(values, edges), np.fmax.reduceat(values, edges)
    told = np.where(middle - low > high - middle, low, high)
    least, most = np.nanmin(values), np.nanmax(values)
    if least == most:
        return ["" if np.isnan(each) else BLOCKS[3] for each in told]
    levels = (told - least) / (most - least) * (len(BLOCKS) - 1)
    return ["" if np.isnan(each) else BLOCKS[round(float(each))] for each in levels]


def _runs(strip: list[str], bright: BoolArray, worst: int) -> list[Span]:
    spans: list[Span] = []
    for place, (glyph, seen) in enumerate(zip(strip, bright, strict=True)):
        tone: Tone = "plain" if seen else "faint"
        if glyph in (ODD, NO_SAMPLES) or place == worst:
            tone = "bad" if glyph == ODD else "worst"
        if spans and spans[-1].tone == tone:
            spans[-1] = Span(spans[-1].text + glyph, tone)
        else:
            spans.append(Span(glyph, tone))
    return spans


def _words(values: FloatArray, usable: BoolArray, width: int, cells: int) -> Spans:
    world = len(values)
    groups: list[Spans] = []
    if usable.any():
        ranks = np.flatnonzero(usable)
        least, most = (
            int(ranks[values[usable].argmin()]),
            int(ranks[values[usable].argmax()]),
        )
        spread = float(values[most] - values[least])
        groups += [
            _told("lowest", least, float(values[least])),
            _told("highest", most, float(values[most])),
            (Span("spread ", "muted"), Span(plain_number(spread))),
        ]
    without = world - int(usable.sum())
    if without:
        groups.append((Span(f"{without} without a value", "worst"),))
    if not groups:
        groups.append((Span(ABSENT, "faint"),))
    if world > cells:
        groups.append((Span(f"a cell is {world / cells:.3g} ranks", "faint"),))
    return (Span("        "), *fill(groups, width - 8))


def _told(word: str, rank: int, value: float) -> Spans:
    return Span(f"{word} ", "muted"), Span(f"rank {rank} "), Span(plain_number(value), "strong")
