"""Which metrics of a training pass were updated only by the validations inside of it?

Validation runs within the training epoch, so what it updates counts as fresh in both passes. A
metric belongs to training where it had updates before the first validation of the epoch, or has
more than the validations made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ddpwatch.board.history import Held, RankPass
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import PassKey
from ddpwatch.findings.evidence import held_of


@dataclass(slots=True)
class Nesting:
    """Remembers the validations of each epoch, and which metrics training has updated itself."""

    inside: dict[tuple[int, int], dict[PassKey, None]] = field(default_factory=dict)
    trained: set[str] = field(default_factory=set)

    def note(self, key: PassKey) -> None:
        """Take in a pass over one dataloader."""
        if key.stage == "validate":
            self.inside.setdefault((key.generation, key.epoch), {})[key] = None

    def foreign(self, run: Run, key: PassKey) -> frozenset[str]:
        """The metrics in a training pass that training did not update; none in other stages."""
        taken = run.passes[key]
        if key.stage != "train":
            return frozenset()
        seen: set[str] = set()
        for rank, held in taken.ranks.items():
            for state in _telling(held):
                fresh = _fresh(run, rank, state)
                seen |= fresh.keys()
                for path, count in fresh.items():
                    if path not in self.trained and count > self._within(
                        run, key, state, path, rank
                    ):
                        self.trained.add(path)
        return frozenset(seen - self.trained)

    def _within(self, run: Run, key: PassKey, held: Held, path: str, rank: int) -> int:
        """Updates that the epoch's validations made before a state of training was taken."""
        total = 0
        for each in self.inside.get((key.generation, key.epoch), ()):
            mine = run.passes[each].ranks.get(rank)
            newest = mine.newest if mine is not None else None
            if newest is not None and _is_before(newest, held):
                total += _fresh(run, rank, newest).get(path, 0)
        return total


def _telling(held: RankPass) -> Iterator[Held]:
    """The first state that is held of a pass, the newest, and the final one."""
    for states in (held.past, held.recent):
        if states:
            yield states[min(states)]
    if held.recent:
        yield held.recent[max(held.recent)]
    if held.final is not None:
        yield held.final


def _is_before(validation: Held, training: Held) -> bool:
    """Whether a validation came first; one right after a batch has the same global step."""
    mine, its = training.state, validation.state
    return its.global_step < mine.global_step or (
        mine.final and its.global_step == mine.global_step
    )


def _fresh(run: Run, rank: int, held: Held) -> dict[str, int]:
    """The fresh updates in a state, by the metric's path."""
    declare = run.ranks[rank].declares.get((held.claim, held.state.declare))
    return {each.metric.path: each.state.fresh for each in held_of(held.state, declare)}
