"""Which run should be shown?"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from ddpwatch.board.snapshot import RunSummary
from ddpwatch.numbers import age, count
from ddpwatch.text import pad, visible
from ddpwatch.tui.shown import Shown
from ddpwatch.tui.widgets.line_list import LineList
from ddpwatch.tui.widgets.tones import Span, Spans


class RunList(LineList):
    """One line for each run, the newest first."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.runs: tuple[RunSummary, ...] = ()
        self.now = 0.0

    def show(self, runs: tuple[RunSummary, ...], now: float) -> None:
        """Draw these runs."""
        chosen = self.chosen
        fresh = tuple(reversed(runs))
        if (fresh, round(now)) == (self.runs, round(self.now)):
            return
        self.runs, self.now = fresh, now
        self.resized()
        self.refresh()
        places = [place for place, run in enumerate(fresh) if chosen and run.run == chosen.run]
        self.cursor = places[0] if places else self.cursor

    @property
    def chosen(self) -> RunSummary | None:
        """The run with the cursor."""
        return self.runs[self.cursor] if self.cursor < len(self.runs) else None

    def count(self) -> int:
        """How many runs there are."""
        return len(self.runs)

    def head(self) -> Spans:
        """The heads of the columns."""
        return tuple(Span(pad(title, cells), "muted") for title, cells in _layout(self.inner_width))

    def line(self, place: int) -> Spans:
        """One run."""
        return run_line(self.runs[place], self.now, self.inner_width)


class RunsScreen(ModalScreen[str | None]):
    """Lists the runs; the result is the id of the one that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,r,q", "dismiss", "Close"),
        ("enter", "choose", "Show this run"),
    ]

    def __init__(self, current: str | None) -> None:
        super().__init__()
        self._current = current

    def compose(self) -> ComposeResult:
        """A list in a frame."""
        with Vertical(classes="dialog"):
            yield RunList(id="run-list")

    def on_mount(self) -> None:
        """Put the cursor on the run in view, and stay up to date."""
        dialog = self.query_one(Vertical)
        dialog.border_title = "Runs"
        dialog.border_subtitle = "Enter shows · Esc closes"
        self.watch(self.app, "shown", self._changed)
        runs = self.query_one(RunList)
        places = [place for place, run in enumerate(runs.runs) if run.run == self._current]
        runs.cursor = places[0] if places else 0
        runs.focus()

    def action_choose(self) -> None:
        """Close with the run under the cursor."""
        chosen = self.query_one(RunList).chosen
        self.dismiss(chosen.run if chosen else None)

    def _changed(self, shown: Shown) -> None:
        if shown.snapshot is not None:
            runs = self.query_one(RunList)
            runs.show(shown.snapshot.runs, shown.snapshot.at)
            runs.styles.height = min(runs.count() + 1, max(3, self.app.size.height - 8))


def run_line(run: RunSummary, now: float, width: int) -> Spans:
    """One run in `width` cells."""
    state = Span("■ ended", "muted") if run.ended else Span("● live", "good")
    texts = {
        "name": Span(visible(run.name), "strong"),
        "run": Span(visible(run.run), "muted"),
        "state": state,
        "ranks": Span(f"{count(run.live)}/{count(run.world_size)}"),
        "at": Span(f"{visible(run.stage).replace('_', ' ')} {run.epoch}" if run.stage else "–"),
        "began": Span(f"{age(max(0.0, now - run.started))} ago", "muted"),
    }
    return tuple(
        Span(pad(texts[title].text, cells - 1) + " ", texts[title].tone)
        for title, cells in _layout(width)
    )


def _layout(width: int) -> list[tuple[str, int]]:
    fixed = [("state", 9), ("ranks", 10)]
    if width >= 46:
        fixed.append(("at", 15))
    if width >= 66:
        fixed.append(("began", 13))
    rest = max(8, width - sum(cells for _, cells in fixed))
    run = min(14, rest // 3) if rest >= 24 else 0
    names = [("name", rest - run), ("run", run)] if run else [("name", rest)]
    return [*names, *fixed]
