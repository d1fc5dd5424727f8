"""Which states of one rank in one pass are kept: the last, a thinned-out past, the final one?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from ddpwatch.wire.messages import State

RECENT = 16
"""States kept whole, so that ranks that are a few steps apart still share one."""

POINTS = 256
"""States kept of a pass for its chart. Beyond it every second one goes, by step number, so that
ranks that thin out at different times still keep the same steps."""


@dataclass(frozen=True, slots=True)
class Held:
    """A state, the claim that its declaration belongs to, and the bytes of its frame."""

    state: State
    claim: str
    nbytes: int = 0


class Holding(Protocol):
    """What holds a state."""

    @property
    def state(self) -> State:
        """Return it."""
        ...


H = TypeVar("H", bound=Holding)


@dataclass(slots=True)
class RankPass(Generic[H]):
    """The states of one rank in one pass over one dataloader."""

    recent: dict[int, H] = field(default_factory=dict)
    past: dict[int, H] = field(default_factory=dict)
    final: H | None = None
    final_journal: int = -1
    stride: int = 1

    @property
    def newest(self) -> H | None:
        """The final state, else the one with the highest step."""
        if self.final is not None:
            return self.final
        return self.recent[max(self.recent)] if self.recent else None

    def add(self, held: H, journal: int) -> None:
        """Keep a state. Order and repeats do not matter: of two finals the later one stays."""
        if held.state.final:
            if journal >= self.final_journal:
                self.final, self.final_journal = held, journal
            return
        step = held.state.step
        self.recent[step] = held
        if len(self.recent) > RECENT:
            del self.recent[min(self.recent)]
        if step % self.stride == 0:
            self.past[step] = held
            if len(self.past) > POINTS:
                self.thin_out(self.stride * 2)

    def at(self, step: int) -> H | None:
        """The state at `step`; a rank that has finished stays at its final state from there on."""
        if self.final is not None and self.final.state.step <= step:
            return self.final
        return self.recent.get(step)

    def steps(self) -> set[int]:
        """The steps of which a state is held."""
        steps = {*self.recent, *self.past}
        if self.final is not None and self.final.state.step >= 0:
            steps.add(self.final.state.step)
        return steps

    def forget_past(self) -> None:
        """Drop everything but the final state, if there is one."""
        self.past.clear()
        if self.final is not None:
            self.recent.clear()

    def thin_out(self, stride: int) -> None:
        """Keep only every `stride`-th step of the past, now and from now on."""
        self.stride = stride
        self.past = {step: held for step, held in self.past.items() if step % self.stride == 0}
