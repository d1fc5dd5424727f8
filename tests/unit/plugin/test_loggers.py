"""Loggers of several makes are heard, their experiments once they come to light, and given back."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from lightning.fabric.loggers.logger import _DummyExperiment
from lightning.pytorch.loggers import CSVLogger
from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
from lightning.pytorch.utilities.rank_zero import rank_zero_only

from ddpwatch.wire.messages import LoggerCall
from ddpwatch_lightning.circumstances import Circumstances
from ddpwatch_lightning.loggers import LIGHTNING, Loggers


class SummaryWriter:
    """TensorBoard's, as far as scalars go."""

    def __init__(self) -> None:
        self.written: list[Any] = []

    def add_scalar(self, tag: str, scalar_value: float, global_step: int | None = None) -> None:
        self.written.append((tag, scalar_value, global_step))

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: dict[str, float], global_step: int | None = None
    ) -> None:
        for tag, value in tag_scalar_dict.items():
            self.add_scalar(f"{main_tag}/{tag}", value, global_step)


class Run:
    """W&B's: it refuses attributes that it does not know."""

    def __init__(self) -> None:
        self.written: list[Any] = []
        self._frozen = True

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_frozen", False):
            raise AttributeError(f"{name} is not supported on Run object")
        super().__setattr__(name, value)

    def log(self, data: dict[str, Any], step: int | None = None, commit: bool = True) -> None:
        self.written.append((data, step))

    def define_metric(self, name: str) -> None:
        self.written.append(name)


class MlflowClient:
    """MLflow's, as far as metrics go."""

    def __init__(self) -> None:
        self.written: list[Any] = []

    def log_metric(
        self, run_id: str, key: str, value: float, timestamp: int | None = None, step: int = 0
    ) -> None:
        self.written.append((key, value, step))


class Remote(Logger):
    """A logger like Lightning's own, whose experiment is made when somebody asks for it."""

    def __init__(self, make: type) -> None:
        super().__init__()
        self.make = make
        self._experiment: Any = None

    name = version = "0"

    @property
    @rank_zero_experiment
    def experiment(self) -> Any:
        if self._experiment is None:
            self._experiment = self.make()
        return self._experiment

    @rank_zero_only
    def log_metrics(self, metrics: dict[str, float], step: int | None = None) -> None:
        for name, value in metrics.items():
            self.experiment.add_scalar(name, value, step)

    @rank_zero_only
    def log_hyperparams(self, params: Any) -> None:
        pass


class Everywhere(Remote):
    """A logger that writes on every rank."""

    def log_metrics(self, metrics: dict[str, float], step: int | None = None) -> None:
        SummaryWriter().add_scalars("all", metrics, step)


class Module:
    _current_fx_name: str | None = "on_validation_epoch_end"


@pytest.fixture
def module() -> Module:
    return Module()


@pytest.fixture
def calls() -> list[LoggerCall]:
    return []


def listening(
    calls: list[LoggerCall], module: Any, *loggers: Any, rank: int = 0, failures: Any = None
) -> Loggers:
    def fail(where: str, error: Exception) -> None:
        if failures is None:
            raise AssertionError(where) from error
        failures.append(where)

    heard = Loggers(calls.append, Circumstances(lambda: None, module), fail)
    heard.start(loggers, rank=rank)
    return heard


def brief(calls: list[LoggerCall]) -> list[tuple[Any, ...]]:
    return [(each.method, each.name, each.value, each.step, each.written) for each in calls]


def test_nothing_is_made_before_somebody_asks(calls: list[Any], module: Any) -> None:
    logger = Remote(SummaryWriter)
    heard = listening(calls, module, logger)
    assert logger._experiment is None
    logger.experiment.add_scalar("f1", 0.5, 3)
    assert type(logger.experiment) is SummaryWriter
    assert logger.experiment.written == [("f1", 0.5, 3)]
    heard.stop()
    assert brief(calls) == [("add_scalar", "f1", 0.5, 3, True)]


@pytest.mark.parametrize(
    ("make", "call", "expected"),
    [
        (SummaryWriter, ("add_scalar", ("f1", 0.5, 3)), ("f1", 0.5, 3)),
        (SummaryWriter, ("add_scalars", ("f1", {"even": 0.5}, 3)), ("f1/even", 0.5, 3)),
        (Run, ("log", ({"f1": 0.5}, 3)), ("f1", 0.5, 3)),
        (MlflowClient, ("log_metric", ("run", "f1", 0.5, 99, 3)), ("f1", 0.5, 3)),
    ],
)
def test_every_make_writes_as_before_and_is_heard_once(
    calls: list[Any], module: Any, make: type, call: Any, expected: Any
) -> None:
    plain, logger = Remote(make), Remote(make)
    method, args = call
    getattr(plain.experiment, method)(*args)
    heard = listening(calls, module, logger)
    getattr(logger.experiment, method)(*args)
    heard.stop()
    assert logger.experiment.written == plain.experiment.written
    assert brief(calls) == [(method, *expected, True)]
    assert (calls[0].logger, calls[0].hook) == ("Remote", "on_validation_epoch_end")


def test_a_method_that_logs_nothing_is_not_heard(calls: list[Any], module: Any) -> None:
    logger = Remote(Run)
    heard = listening(calls, module, logger)
    logger.experiment.define_metric("f1")
    heard.stop()
    assert calls == []
    assert logger.experiment.written == ["f1"]


def test_the_loggers_own_methods_are_heard_without_what_they_do_inside(
    calls: list[Any], module: Module
) -> None:
    logger = Remote(SummaryWriter)
    heard = listening(calls, module, logger)
    logger.log_metrics({"f1": 0.5, "loss": 2.0}, 3)
    module._current_fx_name = None
    logger.log_metrics({"f1": 0.25}, step=4)
    logger.log_hyperparams({"lr": 0.1})
    heard.stop()
    assert brief(calls) == [
        ("log_metrics", "f1", 0.5, 3, True),
        ("log_metrics", "loss", 2.0, 3, True),
        ("log_metrics", "f1", 0.25, 4, True),
        ("log_hyperparams", "", None, None, True),
    ]
    assert [each.hook for each in calls[1:3]] == ["on_validation_epoch_end", ""]
    assert calls[3].text == "1 hyperparameters"


@pytest.mark.parametrize(
    ("caller", "hook"),
    [
        ("lightning.pytorch.trainer.connectors.logger_connector.logger_connector", LIGHTNING),
        ("lightning.pytorch.callbacks.lr_monitor", LIGHTNING),
        ("pytorch_lightning.callbacks.device_stats_monitor", LIGHTNING),
        ("lightning_of_mine", "on_validation_epoch_end"),
    ],
)
def test_what_lightnings_own_code_writes_is_told_apart(
    calls: list[Any], module: Module, caller: str, hook: str
) -> None:
    logger = Remote(SummaryWriter)
    heard = listening(calls, module, logger)
    exec('logger.log_metrics({"lr-SGD": 0.1}, 3)', {"__name__": caller, "logger": logger})
    heard.stop()
    assert [(each.name, each.hook) for each in calls] == [("lr-SGD", hook)]


def test_on_a_rank_above_zero_calls_are_heard_and_thrown_away(
    calls: list[Any], module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank_zero_only, "rank", 1)
    logger = Remote(SummaryWriter)
    heard = listening(calls, module, logger, Everywhere(SummaryWriter), rank=1)
    logger.experiment.add_scalar("f1", 0.5, 3)
    logger.experiment.anything_else("f1")
    logger.experiment[0].add_image("digit", None)
    logger.log_metrics({"f1": 0.5}, 3)
    assert logger._experiment is None
    assert isinstance(logger.experiment, _DummyExperiment)
    heard.stop()
    assert brief(calls) == [
        ("add_scalar", "f1", 0.5, 3, False),
        ("add_image", "digit", None, None, False),
        ("log_metrics", "f1", 0.5, 3, False),
    ]
    assert vars(logger.experiment) == {}


def test_a_logger_without_rank_zero_only_writes_on_every_rank(
    calls: list[Any], module: Any
) -> None:
    logger = Everywhere(SummaryWriter)
    heard = listening(calls, module, logger, rank=1)
    logger.log_metrics({"f1": 0.5}, 3)
    heard.stop()
    assert [each.written for each in calls] == [True]


def test_afterwards_everything_is_as_it_was(calls: list[Any], module: Any) -> None:
    before = vars(Remote)["experiment"]
    loggers = [Remote(SummaryWriter), Remote(Run)]
    kept = [dict(vars(each)) for each in loggers]
    first = listening(calls, module, loggers[0])
    second = listening(calls, module, loggers[1])
    attributes = [dict(vars(each.experiment)) for each in loggers]
    first.stop()
    assert vars(Remote)["experiment"] is not before
    second.stop()
    assert vars(Remote)["experiment"] is before
    for logger, known, own in zip(loggers, kept, attributes, strict=True):
        assert vars(logger) == known | {"_experiment": logger.experiment}
        assert set(vars(logger.experiment)) < set(own)
    loggers[1].experiment.log({"f1": 1})
    assert calls == []


def test_a_property_that_somebody_replaced_meanwhile_stays(
    calls: list[Any], module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Own(Remote):
        experiment = Remote.experiment

    logger = Own(SummaryWriter)
    heard = listening(calls, module, logger)
    theirs = property(lambda self: None)
    Own.experiment = theirs  # type: ignore[assignment, method-assign]
    heard.stop()
    assert vars(Own)["experiment"] is theirs


@pytest.mark.parametrize("way", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_lightnings_csv_logger_is_copied_and_works(
    calls: list[Any], module: Any, way: Any, tmp_path: Path
) -> None:
    logger = CSVLogger(str(tmp_path))
    heard = listening(calls, module, logger)
    copied = way(logger)
    assert type(copied) is CSVLogger
    copied.log_metrics({"f1": 0.5}, 1)
    assert calls == []
    assert not any(tmp_path.iterdir()) or copied._experiment is not None
    logger.experiment.log_metrics({"f1": 0.5}, 1)
    logger.save()
    heard.stop()
    assert brief(calls) == [("log_metrics", "f1", 0.5, 1, True)]
    assert (Path(logger.log_dir) / "metrics.csv").read_text() == "f1,step\n0.5,1\n"


def test_arguments_that_cannot_be_read_are_noted_and_passed_on(
    calls: list[Any], module: Any
) -> None:
    failures: list[str] = []
    logger = Remote(Run)
    heard = listening(calls, module, logger, failures=failures)
    logger.experiment.log(7)
    heard.stop()
    assert failures == ["reading a call of Remote.log"]
    assert logger.experiment.written == [(7, None)]
