"""Which values is Lightning told to log, before it reduces any of them?

`log`, `reset`, `metrics` and `valid_items` of one of its result collections are wrapped on the
instance, so every call is heard, whoever makes it, and nothing of Lightning's or of the module's
own changes. `restore` takes the wrappers away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Protocol

from ddpwatch_lightning.batch_size import batch_size
from ddpwatch_lightning.graphs import kept_out
from ddpwatch_lightning.ledger import Ledger
from ddpwatch_lightning.log_calls import PARAMETERS
from ddpwatch_lightning.origins import Snapshot
from ddpwatch_lightning.tally import Correction, Entry
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

    def __init__(self, results: Any, ledger: Ledger, audience: Audience, module: Any) -> None:
        """Wrap what `module` logs by.

        Raises:
            AttributeError: the collection has other methods.
            TypeError: it does not let itself be wrapped.
        """
        self.results = results
        self.ledger = ledger
        self._audience = audience
        self._publisher = audience.publisher
        self._snapshot = audience.snapshot
        self._is_naming = False
        own = {name: vars(results)[name] for name in METHODS if name in vars(results)}
        self._before: dict[str, Any] = own
        wrappers: dict[str, Callable[..., Any]] = {
            "log": kept_out(self._log_around(results.log), module),
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
        note, attend, failed = self._note, self._attend, self._audience.failed

        def heard_log(fx: str, name: str, value: Any, *args: Any, **options: Any) -> None:
            asked = dict(zip(PARAMETERS, args, strict=False), **options) if args else options
            if asked.get("sync_dist") and asked.get("on_step"):
                attend(fx, name, value, asked, partial(log, fx, name, value, *args, **options))
                return
            # Nothing waits in there, and afterwards Lightning knows the batch size.
            log(fx, name, value, *args, **options)
            try:
                note(fx, name, value, asked)
            except Exception as error:  # noqa: BLE001 - the edge to the training thread
                failed("self.log", error)

        return heard_log

    def _note(self, fx: str, name: str, value: Any, options: Mapping[str, Any]) -> Entry | None:
        """Write down a call that Lightning has accepted; in every step, so every lookup counts.

        The value is one that Lightning cloned for this call; nobody changes it any more.
        """
        ledger, results = self.ledger, self.results
        loader = results.dataloader_idx
        if loader is None or not options.get("add_dataloader_idx", True):
            loader = -1
        entry = ledger.entries.get((fx, name, loader))
        if entry is None:
            entry = ledger.enter((fx, name, loader), value, options)
            if entry is None:
                return None
        weight = options.get("batch_size")
        if weight is None:
            weight = results.batch_size
        at = ledger.at
        is_open = entry.origin.is_open
        ledger.pending.append(
            (
                entry,
                value if entry.is_tensor else None,
                1 if weight is None else weight,
                -1 if at is None else at.current,
                self._snapshot() if is_open and entry.is_tensor else None,
            )
        )
        return entry

    def _attend(
        self,
        fx: str,
        name: str,
        value: Any,
        options: Mapping[str, Any],
        log: Callable[[], None],
    ) -> None:
        """Let Lightning log what it reduces at once; written down, and told, before it waits."""
        publisher, results = self._publisher, self.results
        before = publisher.where
        guess = entry = None
        try:
            if options.get("batch_size") is None and results.batch_size is None:
                guess = batch_size(results.batch) or 1
                options = {**options, "batch_size": guess}
            entry = self._note(fx, name, value, options)
            if not options.get("rank_zero_only"):
                publisher.here(fx, name)
                self._audience.waits(self.ledger)
        except Exception as error:  # noqa: BLE001 - the edge to the training thread
            self._audience.failed("self.log", error)
        try:
            log()
        finally:
            publisher.back(before)
        if entry is not None and guess is not None:
            self._correct(entry, value, guess)

    def _correct(self, entry: Entry, value: Any, guess: int) -> None:
        """Take back a guess of the batch size: Lightning knows it by now, if it needed it."""
        try:
            off = (self.results.batch_size or 1) - guess
            if off:
                self.ledger.pending.append(Correction(entry, value, off))
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


def collections_of(trainer: Any) -> Iterator[Any]:
    """Yield the result collections of a Trainer's loops.

    Raises:
        AttributeError: this Lightning keeps them elsewhere.
    """
    epoch_loop = trainer.fit_loop.epoch_loop
    loops = (epoch_loop, epoch_loop.val_loop, trainer.validate_loop, trainer.test_loop)
    yield from (loop._results for loop in loops)  # noqa: SLF001
