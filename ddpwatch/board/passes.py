"""What is known of one pass, rank by rank, and which step do its ranks share?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from ddpwatch.board.history import Held, RankPass
from ddpwatch.board.snapshot import PassKey


@dataclass(frozen=True, slots=True)
class Cut:
    """A pass at one moment: the state of each rank that takes part.

    `exact` says that all of `wanted` are at `step` together; otherwise each rank is at its own
    newest step and nothing may be reduced over them. `left_out` are ranks that no longer answer and
    never came as far.
    """

    step: int
    exact: bool
    final: bool
    held: dict[int, Held]
    waiting: frozenset[int]
    left_out: frozenset[int]


@dataclass(slots=True)
class Pass:
    """One pass over one dataloader; `version` grows with every state that is folded in."""

    key: PassKey
    ranks: dict[int, RankPass[Held]] = field(default_factory=dict)
    version: int = 0

    def add(self, rank: int, held: Held, journal: int) -> None:
        """Fold in one state of one rank."""
        self.ranks.setdefault(rank, RankPass()).add(held, journal)
        self.version += 1

    def forget_past(self) -> None:
        """Keep only what a finished pass still needs."""
        for rank in self.ranks.values():
            rank.forget_past()

    def is_final(self, expected: Collection[int]) -> bool:
        """Whether every expected rank has sent its final state."""
        return all(r in self.ranks and self.ranks[r].final is not None for r in expected)

    def cut(self, expected: Collection[int], lost: Collection[int]) -> Cut:
        """The newest step that all `expected` ranks share; failing that, all but the `lost` ones.

        A rank that has finished the pass shares every later step of the others with its final
        state, as it does when the metric itself is computed.
        """
        heard = {rank for rank in self.ranks if self.ranks[rank].newest is not None}
        for wanted in (set(expected), set(expected) - set(lost)):
            step = self._shared_step(wanted) if wanted and wanted <= heard else None
            if step is not None:
                held = {r: self._at(r, step) for r in sorted(wanted)}
                final = all(h.state.final for h in held.values())
                return Cut(
                    step=step,
                    exact=True,
                    final=final,
                    held=held,
                    waiting=frozenset(),
                    left_out=frozenset(expected) - wanted,
                )
        newest = {r: h for r in sorted(heard) if (h := self.ranks[r].newest) is not None}
        step = max((h.state.step for h in newest.values()), default=-1)
        waiting = frozenset(expected) - frozenset(lost) - frozenset(heard)
        return Cut(
            step=step,
            exact=False,
            final=False,
            held=newest,
            waiting=waiting,
            left_out=frozenset(lost) - frozenset(heard),
        )

    def rank_steps(self, world_size: int) -> list[int]:
        """The newest step of each rank, -1 where there is none."""
        steps = []
        for rank in range(world_size):
            newest = self.ranks[rank].newest if rank in self.ranks else None
            steps.append(newest.state.step if newest is not None else -1)
        return steps

    def behind(self) -> frozenset[int]:
        """Ranks still under way that have come less far than the farthest."""
        newest = {r: h.state for r in self.ranks if (h := self.ranks[r].newest) is not None}
        farthest = max((state.step for state in newest.values()), default=-1)
        return frozenset(r for r, s in newest.items() if s.step < farthest and not s.final)

    def at_step(self, step: int) -> dict[int, Held]:
        """Every rank's state at `step`, also of steps long past, for a chart."""
        found = {rank: taken.at(step) or taken.past.get(step) for rank, taken in self.ranks.items()}
        return {rank: held for rank, held in found.items() if held is not None}

    def steps(self) -> list[int]:
        """The steps of which a state is still held from every rank that came so far, in order.

        A step that one rank published and another one passed over would be a hole in a chart.
        """
        held = {rank: taken.steps() for rank, taken in self.ranks.items()}
        reach = {rank: max(steps, default=-1) for rank, steps in held.items()}
        steps = set().union(*held.values())
        return [
            step
            for step in sorted(steps)
            if all(
                step in held[rank] or self.ranks[rank].at(step) or step > reach[rank]
                for rank in held
            )
        ]

    def _shared_step(self, wanted: set[int]) -> int | None:
        ranks = [self.ranks[rank] for rank in wanted]
        finals = [rank.final.state.step for rank in ranks if rank.final is not None]
        if len(finals) == len(ranks):
            return max(finals)
        running = [set(rank.recent) for rank in ranks if rank.final is None]
        shared = set.intersection(*running) - {s for s in running[0] if s < max(finals, default=-1)}
        if shared:
            return max(shared)
        everywhere = set.intersection(
            *(
                set(rank.recent) | ({rank.final.state.step} if rank.final else set())
                for rank in ranks
            )
        )
        return max(everywhere, default=None)

    def _at(self, rank: int, step: int) -> Held:
        held = self.ranks[rank].at(step)
        if held is None:
            raise AssertionError(f"rank {rank} shares step {step} and yet has no state there")
        return held
