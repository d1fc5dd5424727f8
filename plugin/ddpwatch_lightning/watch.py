"""What does a rank publish as the passes of its Trainer go by?"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from torch import nn

from ddpwatch.wire.messages import Stage
from ddpwatch_lightning import reports
from ddpwatch_lightning.base import Trainer
from ddpwatch_lightning.batch_size import batch_size
from ddpwatch_lightning.beside import Beside
from ddpwatch_lightning.cadence import Cadence, Every
from ddpwatch_lightning.captures import Captures
from ddpwatch_lightning.circumstances import Circumstances
from ddpwatch_lightning.ending import Ending
from ddpwatch_lightning.followed import Followed
from ddpwatch_lightning.line import Line
from ddpwatch_lightning.listening import Listening
from ddpwatch_lightning.loaders import steps_of
from ddpwatch_lightning.logbook import Logbook
from ddpwatch_lightning.passes import Ordinals, Pass, Position
from ddpwatch_lightning.samplers import Described, Samplers
from ddpwatch_lightning.shadowing import Shadowing
from ddpwatch_lightning.slot import Slot

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Running:
    """A pass that is under way, what has been captured of it, and where its messages go.

    `group` is the first optimizer's parameter group, of which only the learning rate is read.
    """

    at: Pass
    captures: Captures
    cadence: Cadence
    states: Slot
    progress: Slot
    group: Mapping[str, Any]


class Watch:
    """Follows the passes of one Trainer in one process; all methods are for the training thread."""

    def __init__(
        self, line: Line, followed: Followed, every: Every, shadowing: Shadowing | None = None
    ) -> None:
        self.line = line
        self.logbook = Logbook(line, followed)
        self._followed = followed
        self._every = every
        self._shadowing = shadowing
        self._samplers = Samplers()
        self._listening: Listening | None = None
        self._ordinals = Ordinals()
        self._cadences: dict[Stage, Cadence] = {}
        self._running: dict[Stage, Running] = {}
        self._endings: dict[Stage, Ending] = {}

    def listen(self, trainer: Trainer, module: nn.Module, *, output: bool) -> None:
        """The Trainer's call begins: hear what is logged and, where `output`, what is printed."""
        self._stop_listening()
        self._listening = Listening(self.line, Circumstances(self._newest, module))
        self._listening.start(trainer, output=output)

    def begin(self, trainer: Trainer, module: nn.Module, stage: Stage) -> Running:
        """A pass begins; one of the same stage that is still under way is over."""
        self.end(stage)
        for outer in self._running.values():
            outer.captures.observe(self._followed.holders())
        if self._shadowing is not None:
            self._shadowing.reset(stage)
        declaration = self._followed.refresh(module, self._beside(trainer, stage))
        if declaration is not None:
            self.line.publisher.keep(declaration)
        ordinal = self._ordinals.next(stage)
        at = Pass(stage, ordinal, trainer.current_epoch, steps_of(trainer, stage))
        at.global_step = trainer.global_step
        self.logbook.begin(at)
        captures = Captures(self.line.failures.note)
        captures.begin(self._followed.holders())
        self._running[stage] = running = Running(
            at,
            captures,
            self._cadences.setdefault(stage, Cadence(self._every)),
            Slot(self.line.publisher, f"state {stage}"),
            Slot(self.line.publisher, f"progress {stage}"),
            _first_group(trainer, stage),
        )
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

    def backward_begins(self) -> None:
        """The loss of a training step is known; with the gradients, ranks wait for each other."""
        running = self._running.get("train")
        if running is not None:
            running.at.backward_begins(time.perf_counter())

    def step_ends(
        self,
        trainer: Trainer,
        module: nn.Module,
        stage: Stage,
        step: int,
        batch: Any,
        *,
        outputs: Any = None,
    ) -> None:
        """A batch is done: publish the progress, and the states where they are due."""
        running = self._running.get(stage) or self.begin(trainer, module, stage)
        at = running.at
        at.step_ends(step, batch_size(batch), time.perf_counter())
        at.global_step = trainer.global_step
        position = at.position()
        if stage != "predict":
            at.checksum.add(batch)
            if self._shadowing is not None:
                self._shadowing.update(stage, outputs, batch)
            self._publish_when_due(running, position)
        running.progress.put(partial(reports.progress, position, running.group))

    def last_step_ended(self, stage: Stage) -> None:
        """All batches are done: publish the final states, and look out for resets until `end`."""
        running = self._running.get(stage)
        if running is not None and stage != "predict":
            self._publish_final(running)
            self._publish_empty(running.at, len(running.at.loader_steps))
            self.logbook.last_step_ended(stage)
            self._endings[stage] = Ending(running.captures, self._followed, self.line.failures)

    def end(self, stage: Stage) -> None:
        """A pass is over: publish its final states again if they got better since."""
        running = self._running.pop(stage, None)
        if running is not None:
            self._close_ending(stage, running)
            self.logbook.end(stage)
            if self._shadowing is not None:
                self._shadowing.reset(stage)
            self.line.tell("pass_end", running.at)
            for outer in self._running.values():
                outer.captures.leave_out(self._followed.holders())
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
            self._stop_listening()
            self._break_off()
        finally:
            self.line.close("finished")

    def fail(self, error: BaseException) -> None:
        """The Trainer's call ends with an exception: publish it and what is left, and stop."""
        text = type(error).__name__
        newest = self._newest()
        try:
            text = f"{text}: {error}"
            self._stop_listening()
            self._break_off()
            self.line.tell("exception", newest, text)
        finally:
            self.line.close("exception", text)

    def _beside(self, trainer: Trainer, stage: Stage) -> Beside:
        """What is declared beside the metrics."""
        monitors, notes = self.logbook.declares()
        loggers = tuple(type(each).__name__[:LONGEST_NAME] for each in trainer.loggers)
        return Beside(self._loaders(trainer, stage), monitors, loggers, notes)

    def _loaders(self, trainer: Trainer, stage: Stage) -> tuple[Described, ...]:
        try:
            return tuple(self._samplers.refresh(trainer, stage))
        except Exception as error:  # noqa: BLE001 - loaders are of any class
            self.line.failures.note("reading loaders", error)
            return ()

    def _newest(self) -> Pass | None:
        """Return the pass under way; of several, the one within the others."""
        running = next(reversed(self._running.values()), None)
        return None if running is None else running.at

    def _stop_listening(self) -> None:
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.stop()

    def _break_off(self) -> None:
        self.logbook.close()
        for stage in tuple(self._running):
            self._close_ending(stage, self._running.pop(stage))

    def _close_ending(self, stage: Stage, running: Running) -> None:
        ending = self._endings.pop(stage, None)
        if ending is not None and ending.close():
            self._keep_final(running.at, running.captures)

    def _change_loader(self, running: Running, loader: int) -> None:
        if running.at.stage != "predict":
            self._publish_final(running)
            self._publish_empty(running.at, loader)
        running.at.enter(loader)
        if self._shadowing is not None:
            self._shadowing.reset(running.at.stage)
        running.captures.begin(self._followed.holders())

    def _publish_when_due(self, running: Running, position: Position) -> None:
        at, captures, cadence = running.at, running.captures, running.cadence
        if cadence.adapts:
            cadence.note_step(at.step_seconds or 0.0)
        is_edge = at.is_at_last or at.batches == 1
        if not is_edge and not cadence.is_due(at.step):
            self.logbook.step_ends(at.stage)
            return
        self.logbook.put(position)
        before = time.perf_counter()
        taken = captures.take(self._followed.holders(), exactly=is_edge)
        if cadence.adapts:
            cadence.note_copy(time.perf_counter() - before)
        state = partial(reports.state, position, taken, self._followed.version)
        if not is_edge:
            running.states.put(state)
            return
        self.line.publisher.queue(partial(state, checksum=at.checksum.value()))
        if at.is_at_last:
            captures.retain(taken)

    def _publish_final(self, running: Running) -> None:
        running.captures.retain(running.captures.take(self._followed.holders()))
        self._keep_final(running.at, running.captures)

    def _publish_empty(self, at: Pass, before: int) -> None:
        """Say of the loaders after the present one that they have no batch on this rank."""
        for loader in range(at.loader + 1, before):
            captures = Captures(self.line.failures.note)
            captures.begin(self._followed.holders())
            captures.retain(captures.take(self._followed.holders()))
            empty = replace(at)
            empty.enter(loader)
            self._keep_final(empty, captures)

    def _keep_final(self, at: Pass, captures: Captures) -> None:
        version, retained = self._followed.version, captures.retained()
        checksum = at.checksum.value()
        state = partial(
            reports.state, at.position(), retained, version, final=True, checksum=checksum
        )
        self.line.publisher.keep(state)


def _first_group(trainer: Trainer, stage: Stage) -> Mapping[str, Any]:
    """Return the first optimizer's first parameter group, or nothing where nothing is learned."""
    return trainer.optimizers[0].param_groups[0] if stage == "train" and trainer.optimizers else {}
