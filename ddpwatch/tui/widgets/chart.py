"""The chart of the chosen row: every rank, the value over all of them, and how they got there."""

from __future__ import annotations

import numpy as np
from textual.reactive import reactive
from textual.strip import Strip

from ddpwatch.board.snapshot import Series
from ddpwatch.tui.widgets.chart_model import Standout, legend, picture
from ddpwatch.tui.widgets.tones import Span, Spans, Toned, spread, width_of


class Chart(Toned):
    """Draws a `Series` under a line with its title and legend."""

    mean: reactive[bool] = reactive(False, repaint=False)  # noqa: FBT003 - Textual's signature

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.series: Series | None = None
        self.title: Spans = ()
        self.worst: Standout | None = None
        self._picture: tuple[Spans, ...] = ()

    def show(self, series: Series | None, title: Spans, worst: Standout | None) -> None:
        """Draw another series, if it is another; the line of the `worst` rank stands out."""
        if (title, worst) == (self.title, self.worst) and _same(self.series, series):
            return
        self.series, self.title, self.worst = series, title, worst
        self._redraw()

    def watch_mean(self) -> None:
        """Show or hide the mean."""
        self._redraw()

    def on_resize(self) -> None:
        """Fit the drawing."""
        self._redraw()

    def render_line(self, y: int) -> Strip:
        """Draw the title or one line of the picture."""
        width = self.size.width
        if y == 0:
            return self.strip(self._head(width), width)
        line = self._picture[y - 1] if y <= len(self._picture) else ()
        return self.strip((Span(" "), *line), width)

    def _head(self, width: int) -> Spans:
        if self.series is None:
            return (Span(" "), *self.title)
        names = legend(self.series, mean=self.mean)
        if width_of(self.title) + width_of(names) + 5 > width:
            return (Span(" "), *self.title)
        return spread((Span(" "), *self.title), names, width - 1)

    def _redraw(self) -> None:
        width, height = self.size.width - 2, self.size.height - 1
        drawn = self.series is not None and width > 0 and height > 0
        self._picture = (
            picture(self.series, width, height, mean=self.mean, worst=self.worst)
            if drawn and self.series is not None
            else ()
        )
        if drawn and not self._picture and height > 1:
            self._picture = ((), (Span("  nothing to draw yet", "faint"),))
        self.refresh()


def _same(old: Series | None, new: Series | None) -> bool:
    if old is None or new is None:
        return old is new
    return (
        (old.row, old.over) == (new.row, new.over)
        and np.array_equal(old.x, new.x)
        and np.array_equal(old.global_, new.global_, equal_nan=True)
        and np.array_equal(old.ranks, new.ranks, equal_nan=True)
    )
