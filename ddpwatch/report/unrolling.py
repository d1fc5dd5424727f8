"""How does a recording become records, step by step, without being held in memory?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ddpwatch.board.board import Board
from ddpwatch.board.history import Held
from ddpwatch.board.run import FRESH_PASSES, Run, whole
from ddpwatch.board.snapshot import PassKey
from ddpwatch.report.recorded import Recording
from ddpwatch.report.records import Record, logged_records, records_of
from ddpwatch.report.steps import Moment, Steps
from ddpwatch.wire.messages import Logged, State
from ddpwatch.wire.stamped import Restart, Stamped


def unroll(recording: Recording, wanted: frozenset[str]) -> Iterator[Record]:
    """Yield the records of the `wanted` runs (ids), pass by pass, in the order of their steps."""
    board = Board()
    rolls: dict[str, Roll] = {}
    for batch in recording.items():
        for item in batch:
            if isinstance(item, Restart):
                yield from _ends(rolls)
                rolls.clear()
            board.fold((item,))
            if isinstance(item, Stamped) and item.envelope.run in wanted:
                run = board.runs[item.envelope.run]
                yield from rolls.setdefault(run.run, Roll(run)).follow(item)
    yield from _ends(rolls)


def _ends(rolls: dict[str, Roll]) -> Iterator[Record]:
    for roll in rolls.values():
        yield from roll.end()


@dataclass(slots=True)
class Open:
    """A pass, over all its dataloaders, that is still to be told to the end."""

    steps: dict[PassKey, Steps] = field(default_factory=dict)
    heard: set[int] = field(default_factory=set)
    logged_at: float = 0.0


@dataclass(slots=True)
class Roll:
    """One run, behind the board that folds it; passes by their key without dataloader."""

    run: Run
    now: float = 0.0
    open: dict[PassKey, Open] = field(default_factory=dict)
    closed: set[PassKey] = field(default_factory=set)

    def follow(self, item: Stamped) -> Iterator[Record]:
        """Yield what has become complete by an item that the board has folded."""
        body, self.now = item.envelope.body, max(self.now, item.at)
        rank = self.run.ranks[item.envelope.rank]
        # A rival speaks for nobody.
        if not isinstance(body, State | Logged) or item.envelope.claim != rank.claim:
            return
        loader = body.dataloader if isinstance(body, State) else -1
        key = PassKey(rank.generation, body.stage, body.pass_, body.epoch, loader)
        place = whole(key)
        if place in self.closed:
            return
        if place not in self.open:
            yield from self._begin(place)
        opened = self.open[place]
        opened.heard.add(rank.rank)
        if isinstance(body, Logged):
            opened.logged_at = item.at
        else:
            steps = opened.steps.setdefault(key, Steps(key))
            held = Held(body, item.envelope.claim, len(item.raw))
            yield from self._records(steps.add(rank.rank, held, item.at, self.run))
        if len(opened.heard) == self.run.world_size:
            yield from self._close_before(place)

    def end(self) -> Iterator[Record]:
        """Yield all that is left."""
        for place in [*self.open, *map(whole, self.run.passes)]:
            if place not in self.closed:
                yield from self._close(place)

    def _begin(self, place: PassKey) -> Iterator[Record]:
        """Open a pass; those that were before the last two hold next to no steps any more."""
        self.open[place] = Open()
        same = [each for each in self.open if each.stage == place.stage]
        for old in same[:-FRESH_PASSES]:
            for steps in self.open[old].steps.values():
                yield from self._records(steps.flush(self.run))

    def _close_before(self, newest: PassKey) -> Iterator[Record]:
        """Close the passes that all ranks have left behind; until then, a last word may change."""
        for place in [each for each in self.open if each.stage == newest.stage]:
            if place < newest and self._is_final(place):
                yield from self._close(place)

    def _is_final(self, place: PassKey) -> bool:
        everyone = range(self.run.world_size)
        passes = [self.run.passes[key] for key in self.run.loaders[place]]
        logged = self.run.logs.get(place)
        states = all(each.is_final(everyone) for each in passes if each.ranks)
        return states and (logged is None or logged.is_final(everyone))

    def _close(self, place: PassKey) -> Iterator[Record]:
        self.closed.add(place)
        opened = self.open.pop(place, Open())
        for key in self.run.loaders[place]:
            yield from self._records(opened.steps.get(key, Steps(key)).end(self.run))
        logged = self.run.logged(place, self.now)
        if logged is not None:
            said = (held.logged.global_step for held in self.run.logs[place].ranks.values())
            yield from logged_records(self.run.run, logged, max(said), opened.logged_at)

    def _records(self, moments: Iterator[Moment]) -> Iterator[Record]:
        for each in moments:
            yield from records_of(self.run.run, each.table, each.finals, each.time)
