"""What must every later moment of a recording know of the earlier ones? In memory, by time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from ddpwatch.board.snapshot import Mark
from ddpwatch.recording.channels import LASTING, REMARKS
from ddpwatch.recording.marks import Marks
from ddpwatch.recording.merged import Kept, Opened, between
from ddpwatch.wire.stamped import Stamped

FOREVER = 1 << 64
STEP = 200
"""Messages between two looks at the clock."""


class Index:
    """Grows from the beginning, as far as it is asked to; reads each chunk once."""

    def __init__(self, opened: Sequence[Opened], complain: Callable[[str], None]) -> None:
        self._source = between(opened, -1, FOREVER, complain, LASTING | REMARKS)
        self._kept: list[Kept] = []
        self._times: list[int] = []
        self._marks = Marks()
        self.is_whole = False

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The places worth going to that have been come across."""
        return self._marks.ordered()

    def grow(self, until: Callable[[], bool]) -> None:
        """Read on until `until` says that it is enough, or to the end."""
        while not self.is_whole and not until():
            self._read(STEP)

    def upto(self, moment: int) -> list[Kept]:
        """Return what was kept at `moment` (nanoseconds), in order."""
        self._reach(moment)
        return self._kept[: bisect_right(self._times, moment)]

    def between(self, after: int, upto: int) -> list[Kept]:
        """Return what is kept in (after, upto], in order."""
        self._reach(upto)
        return self._kept[bisect_right(self._times, after) : bisect_right(self._times, upto)]

    def _reach(self, moment: int) -> None:
        while not self.is_whole and (not self._times or self._times[-1] <= moment):
            self._read(STEP)

    def _read(self, count: int) -> None:
        for _ in range(count):
            kept = next(self._source, None)
            if kept is None:
                self.is_whole = True
                return
            # Whoever asks goes from one to the next and leaves out what lies between them.
            if isinstance(kept.item, Stamped):
                kept = kept._replace(item=replace(kept.item, gap=True))
            self._kept.append(kept)
            # Merged by time; only within one rank's own file may a clock have been set back.
            self._times.append(max(kept.at, self._times[-1] if self._times else kept.at))
            self._marks.note(kept.item)
