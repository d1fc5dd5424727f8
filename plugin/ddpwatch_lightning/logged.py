"""Which values is Lightning told to log, before it reduces any of them?

`log`, `reset`, `metrics` and `valid_items` of one of its result collections are wrapped on the
instance, so every call is heard, whoever makes it, and nothing of Lightning's or of the module's
own changes. `restore` takes the wrappers away.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import torch

from ddpwatch.link.outbox import Where
from ddpwatch_lightning.batch_size import batch_size
from ddpwatch_lightning.ledger import Ledger
from ddpwatch_lightning.log_calls import PARAMETERS
from ddpwatch_lightning.origins import Snapshot
from ddpwatch_lightning.scalars import taken
from ddpwatch_lightning.tally import Call, Correction, Entry
from ddpwatch_lightning.whereabouts import Placed, naming

METHODS = ("log", "reset", "metrics", "valid_items")


class Audience(Protocol):
    """Who is told what a result collection was; none of it may raise."""

    @property
    def publisher(self) -> Placed:
        """Who is told where the training thread is."""

    def snapshot(self) -> Snapshot | None:
        """Return what the tracked metrics hold now."""

    def waits(self, ledger: Ledger) -> None:
        """The training thread may have to wait now: this should be known before."""

    def is_over(self, ledger: Ledger, results: Mapping[str, Any]) -> Ledger:
        """The results are about to be reset; return the ledger for what comes next."""

    def failed(self, where: str, error: Exception) -> None:
        """Something here went wrong."""


class ResultsTap:
    """The wrappers of one result collection; `ledger` is of the pass that it is in."""

    def __init__(self, results: Any, ledger: Ledger, audience: Audience) -> None:
        """Wrap; raises `AttributeError` or `TypeError` where the collection does not let it."""
        self.results = results
        self.ledger = ledger
        self._audience = audience
        self._publisher = audience.publisher
        self._is_naming = False
        own = {name: vars(results)[name] for name in METHODS if name in vars(results)}
        self._before: dict[str, Any] = own
        wrappers: dict[str, Callable[..., Any]] = {
            "log": _outside_of_graphs(self._log_around(results.log)),
            "reset": self._reset_around(results.reset),
            "metrics": self._metrics_around(results.metrics),
            "valid_items": self._items_around(results.valid_items),
        }
        self._wrappers = wrappers
        for name, wrapper in wrappers.items():
            setattr(results, name, wrapper)

    def restore(self) -> None:
        """Take away the wrappers; one that somebody else has wrapped meanwhile stays."""
        attributes = vars(self.results)
        for name, wrapper in self._wrappers.items():
            if attributes.get(name) is wrapper:
                del attributes[name]
                if name in self._before:
                    attributes[name] = self._before[name]

    def _log_around(self, log: Callable[..., None]) -> Callable[..., None]:
        audience, hear, correct = self._audience, self._hear, self._correct

        def heard_log(fx: str, name: str, value: Any, *args: Any, **options: Any) -> None:
            place = guessed = None
            try:
                asked = dict(zip(PARAMETERS, args, strict=False), **options) if args else options
                place, guessed = hear(fx, name, value, asked)
            except Exception as error:  # noqa: BLE001 - the edge to the training thread
                audience.failed("self.log", error)
            try:
                log(fx, name, value, *args, **options)
            finally:
                if place is not None:
                    audience.publisher.back(place)
            if guessed is not None:
                correct(guessed)

        return heard_log

    def _hear(
        self, fx: str, name: str, value: Any, options: Mapping[str, Any]
    ) -> tuple[Where | None, Call | None]:
        """Write a call down; return where the thread was, if it may have to wait, and a guess."""
        ledger, results = self.ledger, self.results
        loader = results.dataloader_idx if options.get("add_dataloader_idx", True) else None
        key = (fx, name, -1 if loader is None else loader)
        entry = ledger.entries.get(key) or ledger.enter(key, value, options)
        if entry is None:
            return None, None
        weight = options.get("batch_size")
        if weight is None:
            weight = results.batch_size
        is_guess = weight is None
        if is_guess:
            weight = self._guess(entry)
        call = Call(
            entry,
            taken(value) if entry.is_tensor else None,
            weight,
            -1 if ledger.at is None else ledger.at.current,
            self._audience.snapshot() if entry.is_tensor and entry.origin.is_open else None,
        )
        ledger.pending.append(call)
        place = None
        if entry.runs_collective:
            place = self._publisher.here(fx, name)
            self._audience.waits(ledger)
        return place, call if is_guess else None

    def _guess(self, entry: Entry) -> int:
        """Return the batch size that Lightning will find, most likely; it says so afterwards."""
        batch = self.results.batch
        if batch is None or not entry.guesses_weight:
            return 1
        return batch_size(batch) or 1

    def _correct(self, guessed: Call) -> None:
        """Lightning knows the batch size by now, if it needed it at all."""
        try:
            found = self.results.batch_size
            if found is not None and found != guessed.weight:
                off = found - guessed.weight
                self.ledger.pending.append(Correction(guessed.entry, guessed.value, off))
        except Exception as error:  # noqa: BLE001 - the edge to the training thread
            self._audience.failed("the batch size", error)

    def _reset_around(self, reset: Callable[..., None]) -> Callable[..., None]:
        def heard_reset(metrics: Any = None, fx: str | None = None) -> None:
            try:
                self._hear_reset(metrics, fx)
            except Exception as error:  # noqa: BLE001 - the edge to the training thread
                self._audience.failed("the reset of what was logged", error)
            reset(metrics, fx)

        return heard_reset

    def _hear_reset(self, metrics: Any, fx: str | None) -> None:
        if metrics is None and fx is None:
            self.ledger = self._audience.is_over(self.ledger, self.results)
        elif metrics is not True and fx is not None:
            self.ledger.start_over(fx)

    def _metrics_around(self, metrics: Callable[..., Any]) -> Callable[..., Any]:
        def placed_metrics(on_step: Any) -> Any:
            if on_step:
                return metrics(on_step)
            publisher = self._publisher
            before = publisher.where
            self._is_naming = True
            try:
                self._audience.waits(self.ledger)
                return metrics(on_step)
            finally:
                self._is_naming = False
                publisher.back(before)

        return placed_metrics

    def _items_around(
        self, valid_items: Callable[[], Iterable[tuple[str, Any]]]
    ) -> Callable[[], Iterable[tuple[str, Any]]]:
        def named_items() -> Iterable[tuple[str, Any]]:
            items = valid_items()
            return naming(items, self._publisher) if self._is_naming else items

        return named_items


def _outside_of_graphs(function: Callable[..., None]) -> Callable[..., None]:
    """Keep a function out of what `torch.compile` traces, as Lightning does with its own `log`."""
    # Loaded only where something is compiled or decorated; importing it takes a second.
    if "torch._dynamo" not in sys.modules:
        return function
    disabled: Callable[..., None] = torch.compiler.disable(function)  # type: ignore[no-untyped-call]
    return disabled


def collections_of(trainer: Any) -> Iterator[Any]:
    """Yield the result collections of a Trainer's loops.

    Raises:
        AttributeError: this Lightning keeps them elsewhere.
    """
    epoch_loop = trainer.fit_loop.epoch_loop
    loops = (epoch_loop, epoch_loop.val_loop, trainer.validate_loop, trainer.test_loop)
    yield from (loop._results for loop in loops)  # noqa: SLF001
