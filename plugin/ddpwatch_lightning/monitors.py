"""Which callbacks and schedulers decide by a logged key, and what do they hold on this rank?

They are read where a pass's results are reset: by then, Lightning has run every callback's
`on_validation_end` (or `on_test_end`) and, at the end of a training epoch, `on_train_epoch_end` of
those that decide there, and the schedulers. Only attributes are read, and the trainer's plain dict
of callback metrics, never the property that may reduce.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ddpwatch.wire.messages import Monitor, MonitorState
from ddpwatch_lightning.base import Trainer
from ddpwatch_lightning.log_calls import LONGEST_NAME
from ddpwatch_lightning.scalars import Scalar, numbers, taken

LONGEST_PATH = 16_384
MOST_MONITORS = 256

_CALLBACKS = {"ModelCheckpoint": "checkpoint", "EarlyStopping": "early_stopping"}


class Held(NamedTuple):
    """What a monitor holds, as it was read on the training thread."""

    current: Scalar
    best: Scalar
    wait: int | None
    path: str
    stopped: bool


class Watcher(NamedTuple):
    """A callback or scheduler, and how it is declared."""

    declared: Monitor
    holder: Any


def find(trainer: Trainer) -> list[Watcher]:
    """Return what decides by a key, in an order that is the same on all ranks."""
    return [*_callbacks(trainer), *_schedulers(trainer)][:MOST_MONITORS]


def held(trainer: Trainer, watchers: Sequence[Watcher]) -> list[Held]:
    """Return what each of them holds now; for the training thread."""
    current: dict[str, Any] = trainer._logger_connector._callback_metrics  # noqa: SLF001
    stops = bool(trainer.should_stop)
    return [
        _held(
            watcher,
            current.get(watcher.declared.key),
            stops=stops and getattr(watcher.holder, "stopped_epoch", -1) == trainer.current_epoch,
        )
        for watcher in watchers
    ]


def states(held: Sequence[Held]) -> tuple[MonitorState, ...]:
    """Return them as they travel; inside `scalars.passed`, on the publisher's thread."""
    values = iter(numbers(list(chain.from_iterable((each.current, each.best) for each in held))))
    return tuple(
        MonitorState(
            monitor=index,
            current=next(values),
            best=_score(next(values)),
            wait=each.wait,
            path=each.path,
            stopped=each.stopped,
        )
        for index, each in enumerate(held)
    )


def _score(best: float | None) -> float | None:
    # Infinite is where the search for the best begins, not a score that anything had.
    return None if best is not None and math.isinf(best) else best


def _callbacks(trainer: Any) -> Iterator[Watcher]:
    for callback in trainer.callbacks:
        # By name: the class is another one in each of Lightning's namespaces.
        names = [cls.__name__ for cls in type(callback).__mro__]
        kind = next((_CALLBACKS[name] for name in names if name in _CALLBACKS), None)
        if kind is not None:
            yield from _watcher(kind, getattr(callback, "monitor", None), callback)


def _schedulers(trainer: Any) -> Iterator[Watcher]:
    for config in trainer.lr_scheduler_configs:
        if config.reduce_on_plateau:
            yield from _watcher("scheduler", config.monitor, config.scheduler)


def _watcher(kind: str, key: Any, holder: Any) -> Iterator[Watcher]:
    if isinstance(key, str):
        patience = getattr(holder, "patience", None)
        declared = Monitor(
            kind=kind,
            key=key[:LONGEST_NAME],
            mode=str(getattr(holder, "mode", ""))[:LONGEST_NAME],
            patience=patience if isinstance(patience, int) and patience >= 0 else None,
        )
        yield Watcher(declared, holder)


def _held(watcher: Watcher, current: Any, *, stops: bool) -> Held:
    kind, holder = watcher.declared.kind, watcher.holder
    if kind == "checkpoint":
        path = str(holder.best_model_path)[:LONGEST_PATH]
        return Held(taken(current), taken(holder.best_model_score), None, path, stopped=False)
    if kind == "early_stopping":
        return Held(taken(current), taken(holder.best_score), holder.wait_count, "", stopped=stops)
    return Held(taken(current), taken(holder.best), holder.num_bad_epochs, "", stopped=False)
