"""Where is one pass of one stage: at which dataloader and step, after how many samples?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import msgspec

from ddpwatch.wire.messages import Stage
from ddpwatch_lightning.checksum import Checksum


class Ordinals:
    """Numbers the passes of each stage of one Trainer, from 0."""

    def __init__(self) -> None:
        self._begun: Counter[Stage] = Counter()

    def next(self, stage: Stage) -> int:
        """Return the number of the pass that begins now."""
        self._begun[stage] += 1
        return self._begun[stage] - 1


class Position(msgspec.Struct, frozen=True, gc=False):
    """A moment of a pass, as messages tell it; `step` is -1 before the first batch has ended."""

    stage: Stage
    pass_: int
    epoch: int
    dataloader: int
    step: int
    steps: int | None
    global_step: int
    batches: int
    samples: int | None
    step_seconds: float | None
    wait_seconds: float | None
    before_seconds: float | None = None


@dataclass(slots=True, eq=False)
class Pass:
    """One pass, as far as it has come; `now` is always seconds of one monotonic clock.

    `steps` is None where the present loader has no length, `samples` from the first batch on whose
    size is not known. `is_at_last` says that the step that ended was the loader's last. `current`
    is the step that is being worked on, or was last.
    """

    stage: Stage
    ordinal: int
    epoch: int
    loader_steps: tuple[int | None, ...] = ()
    global_step: int = 0
    loader: int = field(init=False)
    steps: int | None = field(init=False)
    step: int = field(init=False)
    current: int = field(init=False)
    batches: int = field(init=False)
    samples: int | None = field(init=False)
    is_at_last: bool = field(init=False)
    checksum: Checksum = field(init=False)
    step_seconds: float | None = None
    wait_seconds: float | None = None
    before_seconds: float | None = None
    idle_since: float | None = None
    step_began: float | None = None

    def __post_init__(self) -> None:
        self.enter(0)

    def enter(self, loader: int) -> None:
        """Go on with another dataloader; its steps and samples are counted from the start."""
        self.loader = loader
        self.steps = self.loader_steps[loader] if loader < len(self.loader_steps) else None
        self.step, self.batches, self.samples, self.is_at_last = -1, 0, 0, False
        self.current = -1
        self.checksum = Checksum()

    def step_begins(self, now: float) -> None:
        """Take in that a batch has come."""
        self.step_began = now
        self.current = self.step + 1
        self.wait_seconds = None if self.idle_since is None else now - self.idle_since
        self.before_seconds = None

    def backward_begins(self, now: float) -> None:
        """Take in that a backward pass begins; the first of a step counts."""
        if self.before_seconds is None and self.step_began is not None:
            self.before_seconds = now - self.step_began

    def step_ends(self, step: int, size: int | None, now: float) -> None:
        """Take in that a batch of `size` samples is done."""
        self.step = self.current = step
        self.batches += 1
        self.is_at_last = step + 1 == self.steps
        self.samples = None if self.samples is None or size is None else self.samples + size
        began = now if self.step_began is None else self.step_began
        self.step_seconds = now - began + (self.wait_seconds or 0.0)
        self.idle_since = now

    def interrupted(self, now: float) -> None:
        """Take in that other work ended just now, for which the next batch did not wait."""
        self.idle_since = now

    def position(self) -> Position:
        """Return where the pass is, as a value that does not change any more."""
        return Position(
            self.stage,
            self.ordinal,
            self.epoch,
            self.loader,
            self.step,
            self.steps,
            self.global_step,
            self.batches,
            self.samples,
            self.step_seconds,
            self.wait_seconds,
            self.before_seconds,
        )
