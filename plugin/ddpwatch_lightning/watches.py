"""Which watch does a Trainer have in this process? One for all its calls, of its own."""

from __future__ import annotations

import itertools
import os
import weakref
from typing import Any

from ddpwatch.wire.endpoint import resolve
from ddpwatch_lightning.arguments import Arguments
from ddpwatch_lightning.base import Trainer
from ddpwatch_lightning.followed import Followed
from ddpwatch_lightning.identity import run_id
from ddpwatch_lightning.line import Line
from ddpwatch_lightning.shadowing import Shadowing
from ddpwatch_lightning.watch import Watch

_made = itertools.count()
_numbers = itertools.count()
_trainers: weakref.WeakKeyDictionary[Trainer, int] = weakref.WeakKeyDictionary()


class Watches:
    """Makes the watches of one callback; a copy of it, or one in another process, starts anew."""

    def __init__(self, arguments: Arguments) -> None:
        self._arguments = arguments
        self._number = next(_made)
        self._pid = os.getpid()
        self._kept: weakref.WeakKeyDictionary[Trainer, Watch] = weakref.WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_kept": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _kept=weakref.WeakKeyDictionary())

    def of(self, trainer: Trainer) -> Watch:
        """Return this Trainer's watch.

        Raises:
            UsageError: `$DDPWATCH` is no endpoint.
        """
        watch = self._kept.get(trainer)
        if watch is None or watch.line.pid != os.getpid():
            watch = self._kept[trainer] = self._new(trainer)
        return watch

    def _new(self, trainer: Trainer) -> Watch:
        run = run_id(
            os.environ,
            name=self._arguments.name,
            single_node=trainer.num_nodes == 1,
            family=(self._pid, os.getpid(), os.getppid()),
            ordinal=self._ordinal(trainer),
        )
        endpoint = resolve(self._arguments.endpoint, os.environ)
        line = Line(endpoint, run, trainer.global_rank, self._arguments.record)
        asked = self._arguments.shadow
        shadowing = Shadowing(asked, line.failures.note_unfit) if asked else None
        own = shadowing.tracked if shadowing else ()
        followed = Followed(self._arguments.selection, self._arguments.labels, own)
        return Watch(line, followed, self._arguments.every, shadowing)

    def _ordinal(self, trainer: Trainer) -> int:
        # A rank that was spawned or forked knows its own Trainer only, but inherits the place of
        # its callback among all that its parent made.
        return _nth(trainer) if self._pid == os.getpid() else self._number


def _nth(trainer: Trainer) -> int:
    """Return the place of a Trainer among those of this process that were watched, from 0."""
    if trainer not in _trainers:
        _trainers[trainer] = next(_numbers)
    return _trainers[trainer]
