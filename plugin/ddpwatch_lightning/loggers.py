"""Which calls does a rank make on its loggers and on their experiments, and which are written?"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

from ddpwatch.wire.messages import LoggerCall
from ddpwatch_lightning import experiments
from ddpwatch_lightning.circumstances import Circumstances
from ddpwatch_lightning.spoken import read
from ddpwatch_lightning.tapped import Tapped, tap_methods, untap

LIGHTNING = "self.log"
"""The hook of values that Lightning itself writes, be it what `self.log` collected or what a
callback of Lightning's own measures, as `LearningRateMonitor` does on every rank."""
LIGHTNINGS = ("lightning.pytorch.", "pytorch_lightning.")
OURS = __name__.partition(".")[0]

LOGGER_METHODS = (
    "log_metrics",
    "log_metric",
    "log_hyperparams",
    "log_image",
    "log_text",
    "log_table",
)
EXPERIMENT_METHODS = (
    "add_scalar",
    "add_scalars",
    "add_histogram",
    "add_image",
    "add_images",
    "add_figure",
    "add_text",
    "add_pr_curve",
    "add_hparams",
    "log",
    "log_metric",
    "log_metrics",
    "log_batch",
    "log_param",
    "log_params",
    "log_hparams",
    "log_image",
    "log_figure",
    "log_text",
    "log_artifact",
)

OnFailure = Callable[[str, Exception], None]


class Loggers:
    """Listens to the loggers of one Trainer from `start` until `stop`."""

    def __init__(
        self,
        publish: Callable[[LoggerCall], None],
        circumstances: Circumstances,
        on_failure: OnFailure,
    ) -> None:
        self._publish = publish
        self._whereabouts = circumstances
        self._on_failure = on_failure
        self._rank = 0
        self._listeners: list[Listener] = []

    def start(self, loggers: Sequence[Any], *, rank: int) -> None:
        """Listen to these loggers of this rank, to each of them once."""
        self._rank = rank
        for logger in {id(each): each for each in loggers}.values():
            listener = Listener(logger, self)
            self._listeners.append(listener)
            listener.start()

    def stop(self) -> None:
        """Give every logger and experiment its own methods back."""
        for listener in self._listeners:
            listener.stop()
        self._listeners.clear()

    @property
    def discards(self) -> bool:
        """Whether Lightning's own loggers throw away what this rank writes."""
        return self._rank > 0

    def tell(
        self,
        logger: str,
        method: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        *,
        written: bool,
    ) -> None:
        """Publish what a call writes; whatever goes wrong is noted and does not leave."""
        try:
            where = self._whereabouts.now()
            hook = LIGHTNING if method == "log_metrics" and _is_lightnings() else where.hook
            now = time.time()
            for spoken in read(method, args, kwargs):
                self._publish(
                    LoggerCall(
                        logger=logger,
                        method=method,
                        name=spoken.name,
                        value=spoken.value,
                        text=spoken.text,
                        step=spoken.step,
                        written=written,
                        at=now,
                        stage=where.stage,
                        pass_=where.pass_,
                        epoch=where.epoch,
                        hook=hook,
                    )
                )
        except Exception as error:  # noqa: BLE001 - called from within the user's call
            self.fail(f"reading a call of {logger}.{method}", error)

    def fail(self, where: str, error: Exception) -> None:
        """Note what went wrong."""
        self._on_failure(where, error)


class Listener:
    """Listens to one logger, and to the experiments that it has ever given out."""

    def __init__(self, logger: Any, loggers: Loggers) -> None:
        self._logger = logger
        self._loggers = loggers
        self._name = type(logger).__name__[:400]
        self._taps: dict[str, Tapped] = {}
        self._experiments: list[tuple[Any, dict[str, Tapped]]] = []
        self._dummy_taps: dict[str, Tapped] = {}

    def start(self) -> None:
        """Put the taps in place; the experiment's as soon as somebody asks for it."""
        self._taps = tap_methods(self._logger, LOGGER_METHODS, self._on_call)
        experiments.listen(self._logger, self._on_experiment)

    def stop(self) -> None:
        """Take all taps away."""
        experiments.forget(self._logger)
        untap(self._logger, self._taps)
        for experiment, taps in self._experiments:
            untap(experiment, taps)
        self._experiments.clear()

    def _on_call(self, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        written = not (self._loggers.discards and _is_rank_zero_only(self._taps[method].original))
        self._loggers.tell(self._name, method, args, kwargs, written=written)

    def _on_experiment(self, experiment: Any) -> None:
        try:
            if _is_dummy(experiment):
                self._tap_dummy(experiment)
            elif all(known is not experiment for known, _ in self._experiments):
                taps = tap_methods(experiment, EXPERIMENT_METHODS, self._on_written)
                self._experiments.append((experiment, taps))
        except Exception as error:  # noqa: BLE001 - called from within the user's access
            self._loggers.fail(f"listening to the experiment of {self._name}", error)

    def _tap_dummy(self, experiment: Any) -> None:
        # Each access makes a new one, and all of them do the same: nothing.
        if not self._dummy_taps:
            self._dummy_taps = tap_methods(experiment, EXPERIMENT_METHODS, self._on_discarded)
        vars(experiment).update(self._dummy_taps)

    def _on_written(self, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._loggers.tell(self._name, method, args, kwargs, written=True)

    def _on_discarded(self, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._loggers.tell(self._name, method, args, kwargs, written=False)


def _is_lightnings() -> bool:
    """Whether the code that called the logger is Lightning's."""
    frame = inspect.currentframe()
    while frame and _module(frame).partition(".")[0] == OURS:
        frame = frame.f_back
    return _module(frame).startswith(LIGHTNINGS)


def _module(frame: FrameType | None) -> str:
    return str(frame.f_globals.get("__name__", "")) if frame else ""


def _is_dummy(experiment: Any) -> bool:
    """Say whether this is what Lightning gives out instead of an experiment."""
    return type(experiment).__name__ in {"_DummyExperiment", "DummyExperiment"}


def _is_rank_zero_only(method: Any) -> bool:
    """Say whether a method is decorated with `rank_zero_only`; every logger of Lightning's is."""
    code = getattr(getattr(method, "__func__", method), "__code__", None)
    return code is not None and "rank_zero" in code.co_filename
