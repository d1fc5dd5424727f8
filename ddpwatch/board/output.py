"""Which lines did the ranks print, the same line of several ranks told once?"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from ddpwatch.board.snapshot import OutputLine
from ddpwatch.wire.messages import Output

MOST_LINES = 2_000
"""Folded lines kept; of more, the oldest go."""


def place_of(line: Output, generation: int) -> Hashable:
    """Return what makes two lines the same one."""
    return generation, line.stage, line.pass_, line.epoch, line.hook, line.stream, line.text


@dataclass(slots=True)
class OutputLog:
    """Lines in the order in which they first came."""

    lines: dict[Hashable, OutputLine] = field(default_factory=dict)
    shown: tuple[OutputLine, ...] | None = ()

    def add(self, rank: int, line: Output, generation: int = 0, times: int = 1) -> None:
        """Fold in one line, or the same one so many times."""
        place = place_of(line, generation)
        known = self.lines.get(place)
        self.shown = None
        if known is None:
            self.lines[place] = OutputLine(
                at=line.at,
                ranks=(rank,),
                stream=line.stream,
                text=line.text,
                stage=line.stage or "",
                epoch=line.epoch,
                hook=line.hook,
                count=times,
            )
            if len(self.lines) > MOST_LINES:
                del self.lines[next(iter(self.lines))]
            return
        ranks = known.ranks if rank in known.ranks else tuple(sorted((*known.ranks, rank)))
        self.lines[place] = replace(
            known, ranks=ranks, count=known.count + times, at=min(known.at, line.at)
        )

    def snapshot(self) -> tuple[OutputLine, ...]:
        """The lines as they are now; made anew only after one has come."""
        if self.shown is None:
            self.shown = tuple(self.lines.values())
        return self.shown
