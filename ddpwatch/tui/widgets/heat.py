"""How are two thousand ranks seen at once? A strip of blocks, and its extremes in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddpwatch.board.snapshot import FloatArray, Row, Table
from ddpwatch.numbers import ABSENT, plain_number
from ddpwatch.tui.widgets.cells import NO_SAMPLES, ODD, worst_of
from ddpwatch.tui.widgets.tones import Span, Spans, Tone, fill

BLOCKS = "▁▂▃▄▅▆▇█"


def heat_spans(row: Row, table: Table, seen: range, width: int) -> tuple[Spans, Spans]:
    """Return the strip and its legend. Ranks in `seen` are drawn brighter: the table shows them.

    Where ranks share a cell, it shows the one farthest from the median of all.
    """
    world = len(row.values)
    head = Span(" rank 0 ", "muted")
    tail = Span(f" {world - 1}", "muted")
    cells = min(world, width - len(head.text) - len(tail.text) - 1)
    if cells < 1:
        return (), ()
    edges = np.arange(cells) * world // cells
    usable = row.present & np.isfinite(row.values)
    strip = _strip(row, table, usable, edges)
    bright = (edges + world // cells > seen.start) & (edges < seen.stop)
    worst = worst_of(row)
    at = int(np.searchsorted(edges, worst.rank, side="right")) - 1 if worst else -1
    return (head, *_runs(strip, bright, at), tail), _words(row, usable, width, cells)


def _strip(row: Row, table: Table, usable: NDArray[np.bool_], edges: NDArray[np.int_]) -> list[str]:
    values = np.where(usable, row.values, np.nan)
    blocks = _blocks(values, edges)
    odd = np.logical_or.reduceat(row.present & ~usable, edges)
    no_samples = row.samples == 0
    no_samples[list(table.absent)] = False
    idle = np.logical_or.reduceat(no_samples & ~row.present, edges)
    rest = (NO_SAMPLES if each else "·" for each in idle)
    return [
        ODD if bad else (block or other)
        for bad, block, other in zip(odd, blocks, rest, strict=True)
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


def _runs(strip: list[str], bright: NDArray[np.bool_], worst: int) -> list[Span]:
    spans: list[Span] = []
    for place, (glyph, seen) in enumerate(zip(strip, bright, strict=True)):
        tone: Tone = "plain" if seen else "faint"
        if glyph == ODD or place == worst:
            tone = "bad" if glyph == ODD else "worst"
        if spans and spans[-1].tone == tone:
            spans[-1] = Span(spans[-1].text + glyph, tone)
        else:
            spans.append(Span(glyph, tone))
    return spans


def _words(row: Row, usable: NDArray[np.bool_], width: int, cells: int) -> Spans:
    world = len(row.values)
    groups: list[Spans] = []
    if usable.any():
        ranks = np.flatnonzero(usable)
        least, most = (
            int(ranks[row.values[usable].argmin()]),
            int(ranks[row.values[usable].argmax()]),
        )
        spread = float(row.values[most] - row.values[least])
        groups += [
            _told("lowest", least, float(row.values[least])),
            _told("highest", most, float(row.values[most])),
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
