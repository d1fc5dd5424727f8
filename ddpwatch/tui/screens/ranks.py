"""Who is in this run, where, and is everyone still alive?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from ddpwatch.board.snapshot import RankInfo
from ddpwatch.tui import verbs
from ddpwatch.tui.screens import pages
from ddpwatch.tui.screens.filtered import FilteredScreen
from ddpwatch.tui.shown import Shown
from ddpwatch.tui.widgets.line_list import LineList
from ddpwatch.tui.widgets.rank_model import detail_lines, head, matching, rank_line
from ddpwatch.tui.widgets.tones import Bar, Spans


class RankList(LineList):
    """One line for each rank."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.ranks: tuple[RankInfo, ...] = ()

    def show(self, ranks: tuple[RankInfo, ...]) -> None:
        """Draw these ranks, repainting only those that differ; the cursor stays on its rank."""
        before, chosen = self.ranks, self.chosen
        if ranks == before:
            return
        self.ranks = ranks
        if len(before) == len(ranks):
            pairs = enumerate(zip(before, ranks, strict=True))
            self.refresh_places([place for place, (old, new) in pairs if old != new])
        else:
            self.resized()
            self.refresh()
        places = [place for place, info in enumerate(ranks) if chosen and info.rank == chosen.rank]
        kept = self.kept_place()
        self.put(kept if kept is not None else places[0] if places else self.cursor)

    @property
    def chosen(self) -> RankInfo | None:
        """The rank with the cursor."""
        return self.ranks[self.cursor] if self.cursor < len(self.ranks) else None

    def count(self) -> int:
        """How many ranks there are."""
        return len(self.ranks)

    def key_at(self, place: int) -> int:
        """The rank."""
        return self.ranks[place].rank

    def head(self) -> Spans:
        """The heads of the columns."""
        return head(self.inner_width)

    def line(self, place: int) -> Spans:
        """One rank."""
        return rank_line(self.ranks[place], self.inner_width)


class RanksScreen(FilteredScreen):
    """The list of ranks, and below it all that is known of one."""

    VERBS = verbs.ON_RANKS
    PAGE = pages.RANKS
    TAB = "ranks"
    AUTO_FOCUS = "#ranks"
    BINDINGS: ClassVar[list[BindingType]] = [*verbs.bindings(verbs.ON_RANKS)]

    def body(self) -> Iterable[Widget]:
        """The list and the details."""
        yield RankList(id="ranks")
        yield Bar(id="detail")

    def draw(self, shown: Shown) -> None:
        """Show the ranks of the run in view."""
        ranks = self.query_one(RankList)
        ranks.show(matching(shown.run.ranks, self.needle) if shown.run else ())
        room = max(2, self.app.size.height // 3)
        chosen = ranks.chosen
        width = self.app.size.width - 2
        self.query_one("#detail", Bar).show(detail_lines(chosen, width, room) if chosen else ())
