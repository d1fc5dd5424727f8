"""Which passes are being logged, and when does what was logged in them go out?

While a pass goes on, the newest account of it goes out as often as states do, and before the
training thread may have to wait for other ranks. The final one follows when Lightning resets the
results, which it does last: all hooks have logged by then, everything is reduced, and whoever
monitors a key has decided. At the default settings, `ModelCheckpoint` and `EarlyStopping` decide on
a validation only at the end of the training epoch around it. If what they hold has changed by then,
the final account of that validation goes out once more, with what they hold now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec

import msgspec
from torchmetrics import Metric

from ddpwatch.link.publisher import Publisher
from ddpwatch.wire.messages import Logged, Monitor, Stage
from ddpwatch_lightning import monitors
from ddpwatch_lightning.base import LightningModule, Trainer
from ddpwatch_lightning.cuda import Moment
from ddpwatch_lightning.emitted import Given, given_out
from ddpwatch_lightning.followed import Followed
from ddpwatch_lightning.ledger import Ledger
from ddpwatch_lightning.line import Line
from ddpwatch_lightning.logged import ResultsTap, collections_of
from ddpwatch_lightning.origins import Snapshot, Sources
from ddpwatch_lightning.passes import Pass, Position
from ddpwatch_lightning.passive import account
from ddpwatch_lightning.reset_window import tap as resets
from ddpwatch_lightning.scalars import moment
from ddpwatch_lightning.slot import Slot
from ddpwatch_lightning.whereabouts import SyncListener, syncs

UNHEARD = (
    "this version of Lightning does not let its result collection be heard: what was logged is "
    "read when a pass ends, without single values, their order and where they came from"
)


P = ParamSpec("P")


def _contained(
    method: Callable[Concatenate[Logbook, P], None],
) -> Callable[Concatenate[Logbook, P], None]:
    """Keep what goes wrong here from whoever follows the states of the same pass."""

    @wraps(method)
    def contained(self: Logbook, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            method(self, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the edge to the rest of the callback
            self.failed(f"what was logged, {method.__name__}", error)

    return contained


class Final(msgspec.Struct, frozen=True):
    """What the last account of a pass is made of; called on the publisher's thread."""

    ledger: Ledger
    position: Position
    declare: int
    givens: list[Given]
    held: list[monitors.Held]
    reached: Moment | None
    is_over: bool = True
    revision: int = 0

    def __call__(self) -> Logged:
        """Return the message."""
        said = self.ledger.final(
            self.position,
            self.declare,
            self.givens,
            self.held,
            self.reached,
            is_over=self.is_over,
        )
        return msgspec.structs.replace(said, revision=self.revision)


class Logbook:
    """Hears what one Trainer logs, in all of its calls; for the training thread."""

    def __init__(self, line: Line, followed: Followed) -> None:
        self.notes: tuple[str, ...] = ()
        self.publisher: Publisher = line.publisher
        self.failed = line.failures.note
        self._line = line
        self._followed = followed
        self._trainer: Any = None
        self._module: Any = None
        self._watchers: list[monitors.Watcher] = []
        self._sources = Sources()
        self._paths: dict[int, str] = {}
        self._version = -1
        self._taps: list[ResultsTap] = []
        self._open: dict[Stage, ResultsTap] = {}
        self._passive: dict[Stage, tuple[Any, Pass]] = {}
        self._slots: dict[Stage, Slot] = {}
        self._validated: Final | None = None
        self._listener: SyncListener | None = None
        self._is_in_window = False

    @_contained
    def open(self, trainer: Trainer, module: LightningModule) -> None:
        """Begin to hear what is logged in a call of the Trainer."""
        self.close()
        self._trainer, self._module = trainer, module
        self.publisher = self._line.publisher
        self._slots = {}
        self.notes = ()
        try:
            for results in collections_of(trainer):
                self._tap(results)
        except (AttributeError, TypeError) as error:
            self.failed("the search for what is logged", error)
            self._restore()
            self.notes = (UNHEARD,)
        self._listener = SyncListener(module, self.publisher, lambda: self._paths)
        syncs.listen(self._listener)

    def declares(self) -> tuple[tuple[Monitor, ...], tuple[str, ...]]:
        """Look again for what decides by a logged key; return it, and notes, to be declared."""
        try:
            self._watchers = monitors.find(self._trainer)
        except Exception as error:  # noqa: BLE001 - callbacks are of anybody's making
            self.failed("the search for monitors", error)
        return tuple(watcher.declared for watcher in self._watchers), self.notes

    @_contained
    def begin(self, at: Pass) -> None:
        """A pass has begun, and its metrics are declared."""
        if self._version != self._followed.version:
            self._version = self._followed.version
            self._sources = Sources(self._followed.metrics)
            self._paths = {id(each.metric): each.path for each in self._followed.metrics}
        results = self._trainer._results if self._trainer is not None else None  # noqa: SLF001
        if results is None or at.stage == "predict":
            return
        if self.notes:
            self._passive[at.stage] = (results, at)
            return
        tap = next((each for each in self._taps if each.results is results), None)
        tap = tap or self._tap(results)
        if tap.ledger.at is not None:
            self._break_off(tap)
        tap.ledger.at = at
        self._open[at.stage] = tap

    @_contained
    def put(self, position: Position) -> None:
        """Publish the newest account of a pass."""
        tap = self._open.get(position.stage)
        if tap is not None:
            ledger = tap.ledger
            ledger.mark()
            ledger.relieve()
            self._slot(position.stage).put(partial(ledger.message, position, self._version))
        elif position.stage in self._passive:
            results, _ = self._passive[position.stage]
            held = monitors.held(self._trainer, self._watchers)
            self._slot(position.stage).put(
                account(results, position, self._version, held, is_over=False)
            )

    @_contained
    def step_ends(self, stage: Stage) -> None:
        """Nothing is due after this step; but do not let too much pile up."""
        tap = self._open.get(stage)
        if tap is not None:
            tap.ledger.relieve()

    @_contained
    def last_step_ended(self, stage: Stage) -> None:
        """The module's own hooks come, which may compute and reset metrics, then log results."""
        if stage == "train":
            # By its end proper, the results of a training epoch are reset.
            self._end_passively(stage)
        if not self._is_in_window:
            self._is_in_window = True
            resets.listen(self._note_reset)

    @_contained
    def end(self, stage: Stage) -> None:
        """The hooks of a pass are over; its results may be reset later."""
        self._end_passively(stage)
        if self._is_in_window:
            self._is_in_window = False
            resets.forget(self._note_reset)
            self._sources.forget_resets()

    @_contained
    def close(self) -> None:
        """Tell what was logged in passes that did not come to their end, and hear nothing more."""
        try:
            for stage in tuple(self._passive):
                self.end(stage)
            for tap in self._taps:
                if tap.ledger.at is not None:
                    self._break_off(tap)
        finally:
            self._restore()
            self._validated = None

    # What follows is called from within the wrappers of a result collection.

    def snapshot(self) -> Snapshot | None:
        """Return what the tracked metrics hold now."""
        return self._sources.snapshot()

    def waits(self, ledger: Ledger) -> None:
        """Publish what was logged so far, since the training thread may have to wait now."""
        try:
            if ledger.at is not None:
                self.put(ledger.at.position())
        except Exception as error:  # noqa: BLE001 - the edge to the training thread
            self.failed("the account of what was logged", error)

    def is_over(self, ledger: Ledger, results: Mapping[str, Any]) -> Ledger:
        """Publish the final account of a pass; return the ledger for the next one."""
        at = ledger.at
        if at is None:
            return ledger if ledger.is_blank else self._new_ledger()
        final = self._final(ledger, at, given_out(results), is_over=True)
        self._open.pop(at.stage, None)
        self.publisher.keep(final)
        if at.stage == "validate":
            self._validated = final
        elif at.stage == "train":
            self._decide_again(final.held, final.reached)
        return self._new_ledger()

    def _decide_again(self, held: list[monitors.Held], reached: Moment | None) -> None:
        validated, self._validated = self._validated, None
        if validated is not None and held:
            # On every rank, changed or not, so that equal revisions are of one moment.
            again = msgspec.structs.replace(validated, held=held, reached=reached, revision=1)
            self.publisher.keep(again)

    def _final(self, ledger: Ledger, at: Pass, givens: list[Given], *, is_over: bool) -> Final:
        ledger.mark()
        held = monitors.held(self._trainer, self._watchers)
        return Final(ledger, at.position(), self._version, givens, held, moment(), is_over)

    def _break_off(self, tap: ResultsTap) -> None:
        ledger, at = tap.ledger, tap.ledger.at
        tap.ledger = self._new_ledger()
        if at is not None:
            self._open.pop(at.stage, None)
            self.publisher.keep(self._final(ledger, at, [], is_over=False))

    def _end_passively(self, stage: Stage) -> None:
        if stage in self._passive:
            results, at = self._passive.pop(stage)
            held = monitors.held(self._trainer, self._watchers)
            self.publisher.keep(account(results, at.position(), self._version, held, is_over=True))

    def _note_reset(self, metric: Metric) -> None:
        try:
            self._sources.note_reset(metric)
        except Exception as error:  # noqa: BLE001 - called from within the user's call of reset
            self.failed("Metric.reset", error)

    def _tap(self, results: Any) -> ResultsTap:
        tap = ResultsTap(results, self._new_ledger(), self, self._module)
        self._taps.append(tap)
        return tap

    def _restore(self) -> None:
        for tap in self._taps:
            tap.restore()
        self._taps, self._open = [], {}
        if self._listener is not None:
            syncs.forget(self._listener)
            self._listener = None
        if self._is_in_window:
            self._is_in_window = False
            resets.forget(self._note_reset)
            self._sources.forget_resets()

    def _slot(self, stage: Stage) -> Slot:
        if stage not in self._slots:
            self._slots[stage] = Slot(self.publisher, f"logged {stage}")
        return self._slots[stage]

    def _new_ledger(self) -> Ledger:
        later: Callable[[Callable[[], object]], bool] = self.publisher.later
        return Ledger(later)
