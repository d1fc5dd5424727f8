"""What does the chart of one row show: which lines, over which range, called what at their ends?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ddpwatch.board.snapshot import BoolArray, FloatArray, Series
from ddpwatch.numbers import plain_number
from ddpwatch.tui.widgets import braille
from ddpwatch.tui.widgets.axes import Axis, step_axis, value_axis
from ddpwatch.tui.widgets.tones import Span, Spans, Tone

MOST_LINES = 12
"""With more ranks than this the chart shows the band between the lowest and the highest."""

LEAST_ROWS, LEAST_COLUMNS = 3, 12
"""Cells below which a plot tells nothing."""

Standout: TypeAlias = tuple[int, str]
"""The rank whose line stands out, and the mark beside its name."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Dots of one tone; later layers lie above earlier ones."""

    dots: BoolArray
    tone: Tone


@dataclass(frozen=True, slots=True)
class EndLabel:
    """A name at the right end of a line, where it would like to be, and how much it matters."""

    row: float
    text: str
    tone: Tone
    weight: int


def picture(
    series: Series, width: int, height: int, *, mean: bool = False, worst: Standout | None = None
) -> tuple[Spans, ...]:
    """Draw a chart of `width` x `height` cells as lines of spans; empty if nothing can be drawn.

    Every rank is a thin line (a band between them where there are many), the global value a thick
    one, the mean dashed, the `worst` rank stands out. Lines are named at their right end.
    """
    drawn = _drawn(series, mean=mean)
    rows = height - 2
    values = value_axis(drawn, max(2, rows // 3))
    gutter = 16 if width >= 64 else 10
    tick_width = max((len(text) for _, text in values.ticks), default=0) if values else 0
    columns = width - tick_width - 2 - gutter
    steps = step_axis(series.x, max(2, columns // 10))
    if values is None or steps is None or rows < LEAST_ROWS or columns < LEAST_COLUMNS:
        return ()
    plot = _Plot(series, steps, values, columns, rows, worst)
    labels = _placed(plot.labels(mean=mean, roomy=gutter >= 16), rows)
    marked = plot.tick_rows()
    cells = _cells(plot.layers(mean=mean), set(marked))
    lines = [
        (
            Span(f"{marked.get(row, ''):>{tick_width}} ", "muted"),
            Span("┤" if row in marked else "│", "faint"),
            *cells[row],
            Span(" "),
            *labels.get(row, ()),
        )
        for row in range(rows)
    ]
    return (*lines, *_step_lines(steps, columns, tick_width, _unit(series)))


def legend(series: Series, *, mean: bool) -> Spans:
    """Name the kinds of line."""
    ranks = len(series.ranks)
    each = f"{ranks} ranks" if ranks != 1 else "1 rank"
    what = f"lowest to highest of {each}" if ranks > MOST_LINES else each
    glyph = "░░" if ranks > MOST_LINES else "──"
    spans = [Span("━━", "global"), Span(" GLOBAL   ", "muted")]
    spans += [Span(glyph, "muted"), Span(f" {what}", "muted")]
    if mean:
        spans += [Span("   ╌╌", "good"), Span(" mean", "muted")]
    return tuple(spans)


def _drawn(series: Series, *, mean: bool) -> FloatArray:
    """All values that the chart must have room for."""
    parts = [series.ranks.ravel(), series.global_]
    return np.concatenate([*parts, series.mean] if mean else parts)


def _unit(series: Series) -> str:
    return "step" if series.over == "steps" else "epoch"


@dataclass(frozen=True, slots=True)
class _Plot:
    """A series on axes, in a plot of some cells."""

    series: Series
    steps: Axis
    values: Axis
    columns: int
    rows: int
    worst: Standout | None

    def layers(self, *, mean: bool) -> list[Layer]:
        """What to draw, from the bottom up."""
        layers = [Layer(self._ranks(), "muted")]
        if self.worst is not None and self.worst[0] < len(self.series.ranks):
            layers.append(Layer(self._line(self.series.ranks[self.worst[0]]), "worst"))
        if mean:
            dashed = self._line(self.series.mean)
            dashed[:, np.arange(dashed.shape[1]) % 6 >= 4] = False
            layers.append(Layer(dashed, "good"))
        layers.append(Layer(braille.thickened(self._line(self.series.global_)), "global"))
        return layers

    def labels(self, *, mean: bool, roomy: bool) -> Iterator[EndLabel]:
        """Names for the right ends of lines; the ones that matter least may find no place."""
        yield from self._label(self.series.global_, "GLOBAL", "global", 3, roomy=roomy)
        if mean:
            yield from self._label(self.series.mean, "mean", "good", 2, roomy=roomy)
        ranks = self.series.ranks
        if len(ranks) > MOST_LINES:
            low, high = np.fmin.reduce(ranks), np.fmax.reduce(ranks)
            yield from self._label(low, "lowest", "muted", 1, roomy=roomy)
            yield from self._label(high, "highest", "muted", 1, roomy=roomy)
        for rank, values in enumerate(ranks):
            if self.worst is not None and rank == self.worst[0]:
                yield from self._label(values, f"rank {rank}", "worst", 2, roomy=roomy)
            elif len(ranks) <= MOST_LINES:
                yield from self._label(values, f"rank {rank}", "muted", 0, roomy=roomy)

    def _label(
        self, values: FloatArray, name: str, tone: Tone, weight: int, *, roomy: bool
    ) -> Iterator[EndLabel]:
        finite = np.flatnonzero(np.isfinite(values))
        if finite.size == 0:
            return
        last = float(values[finite[-1]])
        row = float(self._rows_at(np.array([last]))[0]) / braille.DOTS_DOWN
        mark = self.worst[1] if self.worst is not None and tone == "worst" else ""
        text = f"{name:<7} {plain_number(last)}{mark}" if roomy else f"{name}{mark}"
        yield EndLabel(row, text, tone, weight)

    def tick_rows(self) -> dict[int, str]:
        """The lines of text that carry a label."""
        places = self._rows_at(np.array([tick for tick, _ in self.values.ticks]))
        return {
            int(place // braille.DOTS_DOWN): text
            for place, (_, text) in zip(places, self.values.ticks, strict=True)
        }

    def _rows_at(self, values: FloatArray) -> FloatArray:
        """Dot rows of values, from the top."""
        dots = self.rows * braille.DOTS_DOWN
        flipped: FloatArray = dots - 1 - self.values.place(values, dots)
        return flipped

    def _line(self, values: FloatArray) -> BoolArray:
        dots = braille.raster(self.rows, self.columns)
        self._add(dots, values)
        return dots

    def _add(self, dots: BoolArray, values: FloatArray) -> None:
        """Draw a line that breaks where there is no value."""
        places = np.flatnonzero(np.isfinite(values))
        across = self.steps.place(self.series.x[places], self.columns * braille.DOTS_ACROSS)
        neighbours = np.diff(places) == 1
        braille.draw_line(dots, across, self._rows_at(values[places]), neighbours)

    def _ranks(self) -> BoolArray:
        dots = braille.raster(self.rows, self.columns)
        ranks = self.series.ranks
        if len(ranks) <= MOST_LINES:
            for values in ranks:
                self._add(dots, values)
            return dots
        finite = np.where(np.isfinite(ranks), ranks, np.nan)
        low, high = np.fmin.reduce(finite), np.fmax.reduce(finite)
        across = self.steps.place(self.series.x, dots.shape[1])
        braille.fill_between(dots, across, self._rows_at(high), self._rows_at(low))
        return dots


def _cells(layers: list[Layer], ruled: set[int]) -> list[Spans]:
    """Lay the layers over each other: a cell shows the dots and the tone of the topmost in it."""
    bits = [braille.codes(layer.dots) for layer in layers]
    owner = np.full(bits[0].shape, -1)
    merged = np.zeros_like(bits[0])
    for place, found in enumerate(bits):
        owner[found > 0] = place
        merged = np.where(found > 0, found, merged)
    tones = [layer.tone for layer in layers]
    return [
        tuple(_runs(merged[row], owner[row], tones, "┈" if row in ruled else " "))
        for row in range(len(merged))
    ]


def _runs(
    bits: NDArray[np.uint16], owner: NDArray[np.int_], tones: list[Tone], empty: str
) -> Iterator[Span]:
    """Spans of one row: neighbouring cells of one owner together."""
    edges = np.flatnonzero(np.diff(owner)) + 1
    for part in np.split(np.arange(len(owner)), edges):
        who = int(owner[part[0]])
        if who < 0:
            yield Span(empty * len(part), "faint")
        else:
            yield Span("".join(chr(braille.BLANK + int(b)) for b in bits[part]), tones[who])


def _step_lines(steps: Axis, columns: int, indent: int, unit: str) -> tuple[Spans, Spans]:
    """The axis below the plot, and its labels with the unit at the right end."""
    rule, labels = ["─"] * columns, [" "] * (columns + 10)
    free_from = 0
    for value, text in steps.ticks:
        place = round(float(steps.place(np.array([value]), columns)[0]))
        rule[place] = "┴"
        start = max(0, min(place - len(text) // 2, columns - len(text)))
        if start >= free_from:
            labels[start : start + len(text)] = text
            free_from = start + len(text) + 2
    blank = Span(" " * (indent + 1))
    return (
        (blank, Span("└" + "".join(rule), "faint")),
        (blank, Span(" " + "".join(labels[:columns]), "muted"), Span(f" {unit}", "faint")),
    )


def _placed(wanted: Iterable[EndLabel], rows: int) -> dict[int, Spans]:
    """Give each label a line near its end, in the order of the ends; drop the least if too many."""
    kept = sorted(wanted, key=lambda label: -label.weight)[:rows]
    kept.sort(key=lambda label: label.row)
    free = 0
    lines: list[int] = []
    for label in kept:
        lines.append(max(free, int(label.row)))
        free = lines[-1] + 1
    limit = rows - 1
    for place in reversed(range(len(lines))):
        lines[place] = min(lines[place], limit)
        limit = lines[place] - 1
    return {line: (Span(each.text, each.tone),) for line, each in zip(lines, kept, strict=True)}
