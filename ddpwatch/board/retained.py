"""What has to be told to somebody who comes late, so that he knows what all others know?

The shortest list of items from which a new board comes to the same snapshot. Held is what a board
holds, as frames: of every pass the final states, of the newest two of each stage also single steps,
everything else once for each rank. Its size grows with the passes of a run, not with its messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count

from ddpwatch.board.findings_told import Case, case_of, decode
from ddpwatch.board.retained_run import RetainedRun
from ddpwatch.errors import FrameError
from ddpwatch.wire.stamped import Item, Rejected, Restart, Stamped, Tick, Told


class Retained:
    """Folds what a source yields and what is told of findings; gives out what still matters."""

    def __init__(self) -> None:
        self._now = 0.0
        self._numbers = count(1)
        self._runs: dict[str, RetainedRun] = {}
        self._rejected: Counter[str] = Counter()
        self._told: dict[tuple[str, Case], Told] = {}

    def take(self, items: Iterable[Item]) -> None:
        """Take in a batch, in receive order."""
        for item in items:
            if isinstance(item, Restart):
                self._forget(item.at)
            self._now = max(self._now, item.at)
            if isinstance(item, Stamped):
                run_id = item.envelope.run
                run = self._runs.get(run_id)
                if run is None:
                    run = self._runs[run_id] = RetainedRun(run_id, item.at, self._numbers)
                run.take(item)
            elif isinstance(item, Rejected):
                self._rejected[item.kind] += item.count
            elif isinstance(item, Told):
                self._learn(item)

    def items(self) -> list[Item]:
        """Return all that is known now, beginning with `Restart` and ending with a `Tick`."""
        entries: dict[int, Item] = {}
        for run in self._runs.values():
            entries.update(run.entries())
        return [
            Restart(self._now),
            *(entries[number] for number in sorted(entries)),
            *(item for run in self._runs.values() for item in run.conclusion()),
            *self._rejections(),
            *self._told.values(),
            Tick(self._now),
        ]

    def _forget(self, at: float) -> None:
        self._now = at
        self._runs.clear()
        self._rejected.clear()
        self._told.clear()

    def _rejections(self) -> Iterator[Rejected]:
        yield from (Rejected(self._now, kind, number) for kind, number in self._rejected.items())

    def _learn(self, told: Told) -> None:
        try:
            verdict = decode(told.raw)
        except FrameError as error:
            self._rejected[error.kind] += 1
            return
        case = (told.run, case_of(verdict.finding))
        if verdict.stands:
            self._told[case] = told
        else:
            self._told.pop(case, None)
