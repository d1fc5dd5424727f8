"""Which items lie between where a replay is and where it is to be?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.recording.channels import HELLO, PROGRESS
from ddpwatch.recording.merged import Kept, between
from ddpwatch.recording.moments import BILLION, to_nanoseconds, to_seconds
from ddpwatch.recording.recording import FOREVER, Recording
from ddpwatch.wire.stamped import Item, Tick

WHOLE = 512 * 1024
"""Bytes of a file up to which a stretch is taken in message by message."""

LAST_MOMENT = 1e-6
"""Seconds before a step at which the one before it is still the newest."""


class Flow:
    """A place in a recording; each call moves it and returns what a board has to fold."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._upto = to_nanoseconds(recording.start) - 1
        self._next: Kept | None = None
        self._source: Iterator[Kept] | None = None
        self._ticked = recording.start
        self._stepping: int | None = None

    def upto(self, moment: float) -> list[Item]:
        """Go on to a moment, in seconds."""
        target = to_nanoseconds(moment)
        if target <= self._upto:
            return []
        if self._is_much(target):
            items = self._recording.passed(to_seconds(self._upto), moment)
            self._move(target)
            return items
        items = [kept.item for kept in self._taken(target)]
        self._upto = target
        return self._with_tick(items, moment)

    def at(self, moment: float) -> list[Item]:
        """Go anywhere."""
        self._move(to_nanoseconds(moment))
        return self._recording.at(moment)

    def stepped(self, by: int) -> tuple[float, list[Item]]:
        """Go on or back by steps, to the last moment before the next one; return where to.

        Steps are those of the rank that the recording tells of first; by the end of one, the other
        ranks have told of it too.
        """
        moment = self._later_step(by) if by > 0 else self._earlier_step(-by)
        if by > 0:
            return moment, self.upto(moment)
        return moment, self.at(moment)

    def _later_step(self, count: int) -> float:
        for at in self._steps(self._upto, FOREVER):
            count -= 1
            if count < 0:
                return to_seconds(at) - LAST_MOMENT
        return self._recording.end

    def _earlier_step(self, count: int) -> float:
        start, reach = to_nanoseconds(self._recording.start), 4 * BILLION
        while True:
            first = max(start - 1, self._upto - reach)
            # The last of them is the step that shows at present.
            steps = list(self._steps(first, self._upto))
            if len(steps) > count:
                return to_seconds(steps[-count]) - LAST_MOMENT
            if first < start:
                return (
                    to_seconds(steps[1]) - LAST_MOMENT if len(steps) > 1 else self._recording.start
                )
            reach *= 4

    def _steps(self, after: int, upto: int) -> Iterator[int]:
        """When the rank of which the recording tells first came to another step."""
        if self._stepping is None:
            hellos = (k for k in self._recording.index.upto(self._upto) if k.channel == HELLO)
            self._stepping = next((k.rank for k in hellos), None)
        recording = self._recording
        found = between(recording.opened, after, upto, recording.complain, {PROGRESS})
        return (kept.at for kept in found if kept.rank == (self._stepping or 0))

    def _taken(self, target: int) -> Iterator[Kept]:
        if self._source is None:
            recording = self._recording
            self._source = between(recording.opened, self._upto, FOREVER, recording.complain)
            self._next = next(self._source, None)
        while self._next is not None and self._next.at <= target:
            yield self._next
            self._next = next(self._source, None)

    def _with_tick(self, items: list[Item], moment: float) -> list[Item]:
        """Let time pass where nothing has come, so that silence can be seen."""
        if items:
            self._ticked = max(self._ticked, items[-1].at)
        if moment - self._ticked > 1.0:
            self._ticked = moment
            items.append(Tick(moment))
        return items

    def _move(self, target: int) -> None:
        self._upto, self._source, self._next = target, None, None
        self._ticked = to_seconds(target)

    def _is_much(self, target: int) -> bool:
        total = 0
        for opened in self._recording.opened:
            for place in opened.part.chunks:
                if place.end > self._upto and place.start <= target:
                    total += place.length
        return total > WHOLE
