"""Which steps of a pass are told, and when, so that few of them have to be held at a time?

A step is told once all ranks share it and have gone on; what only some ranks published is told with
their own values. What a pass ended with replaces its last step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ddpwatch.board.history import Held
from ddpwatch.board.passes import Pass
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import PassKey, Table
from ddpwatch.board.table import build_table

WAITING = 64
"""Steps that are held for ranks that have not come so far; then they are told as they are."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A table of one step, the ranks whose states in it are final, and when its last part came."""

    table: Table
    finals: frozenset[int]
    time: float


@dataclass(slots=True)
class Steps:
    """The steps of one pass over one dataloader that are still to be told.

    The run that each method is given has folded all that has come, and holds the final states.
    """

    key: PassKey
    waiting: dict[int, dict[int, Held]] = field(default_factory=dict)
    times: dict[int, float] = field(default_factory=dict)
    final_time: float = 0.0
    told: int = -1
    told_finals: set[int] = field(default_factory=set)

    def add(self, rank: int, held: Held, at: float, run: Run) -> Iterator[Moment]:
        """Take in one state, and yield what is complete by it, but for the newest step."""
        step = held.state.step
        if held.state.final:
            self.final_time = max(self.final_time, at)
            return
        if step <= self.told:
            # Steps of one rank come in order; only a repeat comes later.
            return
        self.waiting.setdefault(step, {})[rank] = held
        self.times[step] = at
        if len(self._at(step, run)) == run.world_size:
            yield from self._tell([s for s in self.waiting if s < step], run)
        if len(self.waiting) > WAITING:
            yield from self._tell([min(self.waiting)], run)

    def flush(self, run: Run) -> Iterator[Moment]:
        """Tell all that waits but the newest step: the pass has gone out of view."""
        yield from self._tell(sorted(self.waiting)[:-1], run)

    def end(self, run: Run) -> Iterator[Moment]:
        """Tell what is left, and what the pass ended with."""
        ranks = run.passes[self.key].ranks
        finals = {rank: each.final for rank, each in ranks.items() if each.final is not None}
        if len(finals) == run.world_size:
            last = max(held.state.step for held in finals.values())
            yield from self._tell([s for s in self.waiting if s < last], run)
            yield self._moment(finals, run, self.final_time)
        else:
            untold = {h.state.step for r, h in finals.items() if r not in self.told_finals}
            yield from self._tell({*self.waiting, *untold}, run)
        self.waiting.clear()

    def _tell(self, steps: Iterable[int], run: Run) -> Iterator[Moment]:
        for step in sorted(steps):
            held = self._at(step, run)
            if len(held) < run.world_size:
                # A rank that is done would say the same again at every step of the others.
                held = {r: h for r, h in held.items() if self._is_news(r, h, step)}
            time = self.times.pop(step, self.final_time)
            self.waiting.pop(step, None)
            self.told = max(self.told, step)
            if held:
                yield self._moment(held, run, time)

    def _at(self, step: int, run: Run) -> dict[int, Held]:
        """Every rank's state at a step; one that is done stays at its final state from there on."""
        found = dict(self.waiting.get(step, {}))
        for rank, each in run.passes[self.key].ranks.items():
            if each.final is not None and each.final.state.step <= step:
                found[rank] = each.final
        return found

    def _is_news(self, rank: int, held: Held, step: int) -> bool:
        state = held.state
        return state.step == step and not (state.final and rank in self.told_finals)

    def _moment(self, held: dict[int, Held], run: Run, time: float) -> Moment:
        """The table that a screen would have shown, had there been these states only."""
        taken, world = Pass(self.key), run.world()
        for rank, each in held.items():
            taken.add(rank, each, 0)
        finals = frozenset(rank for rank, each in held.items() if each.state.final)
        self.told_finals |= finals
        # No rank counts as lost: a value over fewer ranks would not say so in a file.
        table = build_table(taken, world.size, (), world.declares, world.versions)
        return Moment(table, finals, time)
