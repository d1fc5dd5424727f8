"""What does a rank publish as the passes of its Trainer go by?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from torch import nn

from ddpwatch.wire.messages import Stage, State
from ddpwatch_lightning import reports
from ddpwatch_lightning.base import Trainer
from ddpwatch_lightning.batch_size import batch_size
from ddpwatch_lightning.cadence import Cadence, Every
from ddpwatch_lightning.capture import Captured
from ddpwatch_lightning.captures import Captures
from ddpwatch_lightning.ending import Ending
from ddpwatch_lightning.followed import Followed
from ddpwatch_lightning.line import Line
from ddpwatch_lightning.loaders import steps_of
from ddpwatch_lightning.passes import Ordinals, Pass


class Running(NamedTuple):
    """A pass that is under way, and what has been captured of it."""

    at: Pass
    captures: Captures


class Watch:
    """Follows the passes of one Trainer in one process; all methods are for the training thread."""

    def __init__(self, line: Line, followed: Followed, every: Every) -> None:
        self.line = line
        self._followed = followed
        self._every = every
        self._ordinals = Ordinals()
        self._cadences: dict[Stage, Cadence] = {}
        self._running: dict[Stage, Running] = {}
        self._endings: dict[Stage, Ending] = {}

    def begin(self, trainer: Trainer, module: nn.Module, stage: Stage) -> Running:
        """A pass begins; one of the same stage that is still under way is over."""
        self.end(stage)
        declaration = self._followed.refresh(module)
        if declaration is not None:
            self.line.publisher.keep(declaration)
        ordinal = self._ordinals.next(stage)
        at = Pass(stage, ordinal, trainer.current_epoch, steps_of(trainer, stage))
        at.global_step = trainer.global_step
        captures = Captures(self.line.failures.note)
        captures.begin(self._followed.holders())
        self._running[stage] = running = Running(at, captures)
        self.line.tell("pass_begin", at)
        return running

    def step_begins(self, trainer: Trainer, module: nn.Module, stage: Stage, loader: int) -> None:
        """A batch has come from the dataloader with this index."""
        # Lightning does not announce an epoch in the midst of which training resumes.
        running = self._running.get(stage) or self.begin(trainer, module, stage)
        if loader != running.at.loader:
            self._change_loader(running, loader)
        if running.at.batches == 0:
            running.captures.observe(self._followed.holders())
        running.at.step_begins(time.perf_counter())

    def step_ends(
        self, trainer: Trainer, module: nn.Module, stage: Stage, step: int, batch: Any
    ) -> None:
        """A batch is done: publish the progress, and the states where they are due."""
        running = self._running.get(stage) or self.begin(trainer, module, stage)
        at = running.at
        at.step_ends(step, batch_size(batch), time.perf_counter())
        at.global_step = trainer.global_step
        if stage != "predict":
            self._publish_when_due(running)
        progress = partial(reports.progress, at.position(), _learning_rate(trainer, stage))
        self.line.publisher.latest(("progress", stage), progress)

    def last_step_ended(self, stage: Stage) -> None:
        """All batches are done: publish the final states, and look out for resets until `end`."""
        running = self._running.get(stage)
        if running is not None and stage != "predict":
            self._publish_final(running)
            self._publish_empty(running.at, len(running.at.loader_steps))
            self._endings[stage] = Ending(running.captures, self._followed, self.line.failures)

    def end(self, stage: Stage) -> None:
        """A pass is over: publish its final states again if they got better since."""
        running = self._running.pop(stage, None)
        if running is not None:
            self._close_ending(stage, running)
            self.line.tell("pass_end", running.at)
        for other in self._running.values():
            other.at.interrupted(time.perf_counter())

    def end_training(self, trainer: Trainer) -> None:
        """The last epoch is over."""
        self.end("train")
        if trainer.should_stop:
            self.line.tell("early_stop")

    def close(self) -> None:
        """The Trainer's call is over."""
        try:
            self._break_off()
        finally:
            self.line.close("finished")

    def fail(self, error: BaseException) -> None:
        """The Trainer's call ends with an exception: publish it and what is left, and stop."""
        text = type(error).__name__
        try:
            text = f"{text}: {error}"
            self._break_off()
            self.line.tell("exception", text=text)
        finally:
            self.line.close("exception", text)

    def _break_off(self) -> None:
        for stage in tuple(self._running):
            self._close_ending(stage, self._running.pop(stage))

    def _close_ending(self, stage: Stage, running: Running) -> None:
        ending = self._endings.pop(stage, None)
        if ending is not None and ending.close():
            self._keep_final(running)

    def _change_loader(self, running: Running, loader: int) -> None:
        if running.at.stage != "predict":
            self._publish_final(running)
            self._publish_empty(running.at, loader)
        running.at.enter(loader)
        running.captures.begin(self._followed.holders())

    def _publish_when_due(self, running: Running) -> None:
        at, captures = running
        cadence = self._cadence(at.stage)
        cadence.note_step(at.step_seconds or 0.0)
        is_edge = at.batches == 1 or at.is_at_last
        if not is_edge and not cadence.is_due(at.step):
            return
        before = time.perf_counter()
        taken = captures.take(self._followed.holders())
        cadence.note_copy(time.perf_counter() - before)
        if at.is_at_last:
            captures.retain(taken)
        if is_edge:
            self.line.publisher.queue(self._state(at, taken))
        else:
            self.line.publisher.latest(("state", at.stage), self._state(at, taken))

    def _publish_final(self, running: Running) -> None:
        running.captures.retain(running.captures.take(self._followed.holders()))
        self._keep_final(running)

    def _publish_empty(self, at: Pass, before: int) -> None:
        """Say of the loaders after the present one that they have no batch on this rank."""
        for loader in range(at.loader + 1, before):
            captures = Captures(self.line.failures.note)
            captures.begin(self._followed.holders())
            captures.retain(captures.take(self._followed.holders()))
            empty = replace(at, loader=loader, step=-1, batches=0, samples=0)
            self._keep_final(Running(empty, captures))

    def _keep_final(self, running: Running) -> None:
        message = self._state(running.at, running.captures.retained(), final=True)
        self.line.publisher.keep(message)

    def _state(
        self, at: Pass, captures: Sequence[Captured], *, final: bool = False
    ) -> partial[State]:
        return partial(
            reports.state, at.position(), captures, declare=self._followed.version, final=final
        )

    def _cadence(self, stage: Stage) -> Cadence:
        cadence = self._cadences.get(stage)
        if cadence is None:
            cadence = self._cadences[stage] = Cadence(self._every)
        return cadence


def _learning_rate(trainer: Trainer, stage: Stage) -> float | None:
    """Return the first optimizer's rate; one that is a tensor is not read, as that might wait."""
    if stage != "train" or not trainer.optimizers:
        return None
    rate = trainer.optimizers[0].param_groups[0].get("lr")
    return rate if isinstance(rate, float) else None
