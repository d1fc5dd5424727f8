"""Which printed lines and logger calls of one run still matter, and how often was each said?"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

from ddpwatch.board import logger_calls, output
from ddpwatch.board.rank import Rank
from ddpwatch.wire.messages import LoggerCall, Output
from ddpwatch.wire.stamped import Stamped


@dataclass(slots=True)
class _Said:
    """One message in the place of several of one rank."""

    number: int
    stamped: Stamped
    times: int = 1


@dataclass(slots=True)
class RetainedWords:
    """The latest call of each row and the earliest of equal lines, by rank; as many as shown."""

    calls: dict[Hashable, dict[int, _Said]] = field(default_factory=dict)
    lines: dict[Hashable, dict[int, _Said]] = field(default_factory=dict)

    def take(self, rank: Rank, body: LoggerCall | Output, number: int, stamped: Stamped) -> None:
        """Take in one, whose place among all messages is `number`."""
        if isinstance(body, LoggerCall):
            self._take_call(rank.rank, body, number, stamped)
        else:
            self._take_line(rank, body, number, stamped)

    def entries(self) -> Iterator[tuple[int, Stamped]]:
        """Yield one message for each rank and row or line; it says how many it stands for."""
        for rows in (self.calls, self.lines):
            for ranks in rows.values():
                for said in ranks.values():
                    yield said.number, replace(said.stamped, times=said.times)

    def _take_call(self, rank: int, call: LoggerCall, number: int, stamped: Stamped) -> None:
        place = logger_calls.place_of(call)
        ranks = self.calls.pop(place, {})
        self.calls[place] = ranks
        if len(self.calls) > logger_calls.MOST_ROWS:
            del self.calls[next(iter(self.calls))]
        known = ranks.get(rank)
        times = stamped.times if known is None else known.times + stamped.times
        ranks[rank] = _Said(number, stamped, times)

    def _take_line(self, rank: Rank, line: Output, number: int, stamped: Stamped) -> None:
        place = output.place_of(line, rank.generation)
        ranks = self.lines.setdefault(place, {})
        if len(self.lines) > output.MOST_LINES:
            del self.lines[next(iter(self.lines))]
        known = ranks.get(rank.rank)
        if known is None:
            ranks[rank.rank] = _Said(number, stamped, stamped.times)
            return
        known.times += stamped.times
        if line.at < _time(known.stamped):
            known.stamped = stamped


def _time(stamped: Stamped) -> float:
    body = stamped.envelope.body
    return body.at if isinstance(body, Output) else stamped.at
