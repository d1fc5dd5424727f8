"""Which columns of the table fit, how wide is each, and which ranks are in sight?"""

from __future__ import annotations

from dataclasses import dataclass

ROOMY = 84
"""Cells from which columns get their full width."""

MEAN_FROM = 100
"""Cells from which the mean has room beside what was logged."""

CODES_FROM = 70
"""Cells from which the codes of findings have room."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Widths in cells. A rank's cell ends with one cell for a mark; so does the gap's.

    `first` is the leftmost rank in sight and `shown` how many there are. The row's name, its
    average, the ranks, mean, GLOBAL, logged, gap and codes stand in this order; `edge` cells stand
    before and after the ranks. A width of 0 leaves a column out.
    """

    name: int
    average: int
    rank: int
    first: int
    shown: int
    world: int
    mean: int
    global_: int
    gap: int
    value: int
    edge: int = 1
    logged: int = 0
    codes: int = 0

    @property
    def right(self) -> int:
        """Cells of all that stays at the right."""
        return self.mean + self.global_ + self.logged + self.gap + self.codes

    @property
    def hidden_left(self) -> int:
        """Ranks that are out of sight on the left."""
        return self.first

    @property
    def hidden_right(self) -> int:
        """Ranks that are out of sight on the right."""
        return self.world - self.first - self.shown

    @property
    def ranks(self) -> range:
        """The ranks in sight."""
        return range(self.first, self.first + self.shown)


def fit(
    width: int,
    world: int,
    first: int,
    name: int,
    average: int,
    *,
    logged: bool = False,
    with_mean: bool = True,
) -> Columns:
    """Lay out a line of `width` cells for `world` ranks; `name` and `average` are what texts want.

    Names give way before ranks do, down to 14 cells, and the average is told in the name's
    column (width 0) where room is short. What is left over goes to the average, which keeps the
    values together at the right. `logged` asks for what was logged and the codes of findings, for
    which the mean, and in a very narrow window the codes, make room. `with_mean` False leaves the
    mean out anyway, and then what was logged goes before the codes do.
    """
    roomy = width >= ROOMY
    value = 7 if roomy else 6
    rank = value + 1
    mean, global_, gap = (8, 10, 10) if roomy else (7, 7, 9)
    said, codes = 0, 0
    if logged:
        said, codes = (9, 7) if roomy else (7, 6 if width >= CODES_FROM else 0)
    if logged and not with_mean and not codes:
        # The ranks' own columns show what rank 0 ended with.
        said, codes = 0, 6
    if not with_mean or (logged and width < MEAN_FROM):
        mean = 0
    right = mean + global_ + said + gap + codes
    free = width - 2 - right
    if not roomy:
        name, average = (name + 1 + average if average else name), 0
    wanted = name + (average + 2 if average else 0)
    left = max(min(wanted, free - rank * min(world, 4)), 14)
    shown = max(1, min(world, (free - left) // rank))
    if shown == world and roomy:
        rank = min(10, (free - left) // world)
    left = free - shown * rank
    if average and left - average - 2 >= 8:
        name = min(name, left - average - 2)
        average = left - name - 2
    else:
        name, average = left, 0
    first = max(0, min(first, world - shown))
    widths = (name, average, rank, first, shown, world, mean, global_, gap, value)
    return Columns(*widths, logged=said, codes=codes)


def rank_title(rank: int, world: int, width: int) -> str:
    """Head of a rank's column; the short form for all where the long one does not fit for some."""
    if len(f"rank {world - 1}") <= width:
        return f"rank {rank}"
    return f"r{rank}"
