"""What every rank sends to its loggers is heard, and the files they write stay the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ddpwatch.wire.messages import Declare, LoggerCall
from tests.ddp import ranks, recorder
from tests.ddp.training import Model, loader, rank, trainer

pytestmark = pytest.mark.ddp


class Writer:
    """TensorBoard's methods, over a list."""

    def __init__(self) -> None:
        self.written: list[Any] = []

    def add_scalar(self, tag: str, scalar_value: Any, global_step: Any = None) -> None:
        self.written.append((tag, float(scalar_value), global_step))


def board() -> Any:
    from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
    from lightning.pytorch.utilities.rank_zero import rank_zero_only

    class Board(Logger):
        made: Any = None
        name = version = "0"

        @property
        @rank_zero_experiment
        def experiment(self) -> Any:
            self.made = self.made or Writer()
            return self.made

        @rank_zero_only
        def log_metrics(self, metrics: Any, step: Any = None) -> None:
            for name, value in metrics.items():
                self.experiment.add_scalar(name, value, step)

        @rank_zero_only
        def log_hyperparams(self, params: Any, *_: Any) -> None:
            pass

    return Board()


class Writing(Model):
    """Sends a number per label to the experiment on every rank, as people do."""

    def on_validation_epoch_end(self) -> None:
        super().on_validation_epoch_end()
        experiment = self.trainer.loggers[0].experiment
        experiment.add_scalar("even/f1", 0.5 + rank(), self.current_epoch)


def written(folder: str, watched: bool, fails: bool = False) -> Any:
    from lightning.pytorch.loggers import CSVLogger

    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    model, made = Writing(), board()
    csv = CSVLogger(folder)
    before = {type(each): vars(type(each)).get("experiment") for each in (made, csv)}
    fitting = trainer(*[DDPWatch()] * watched, logger=[made, csv], log_every_n_steps=1)
    if fails:
        model.on_validation_epoch_end = lambda: 1 / 0  # type: ignore[method-assign]
        with pytest.raises(ZeroDivisionError):
            fitting.fit(model, loader(16), loader(16))
    else:
        fitting.fit(model, loader(16), loader(16))
    clean = [
        before == {type(each): vars(type(each)).get("experiment") for each in (made, csv)},
        not any("Tapped" in type(v).__name__ for each in (made, csv) for v in vars(each).values()),
        made.made is None or list(vars(made.made)) == ["written"],
    ]
    return recorder.bodies(), made.made.written if made.made else [], clean


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], Path]:
    folder = tmp_path_factory.mktemp("watched")
    return ranks.run(written, 2, str(folder), True), folder


def calls(messages: list[Any], **of: Any) -> list[LoggerCall]:
    found = recorder.of(LoggerCall, messages)
    return [each for each in found if all(getattr(each, k) == v for k, v in of.items())]


def test_the_experiment_gets_the_same_as_unwatched(
    watched: tuple[list[Any], Path], tmp_path: Path
) -> None:
    plain = ranks.run(written, 2, str(tmp_path), False)
    assert [each[1] for each in watched[0]] == [each[1] for each in plain]
    (file,), (unwatched_file,) = watched[1].rglob("*.csv"), tmp_path.rglob("*.csv")
    assert file.read_text() == unwatched_file.read_text() != ""


def test_what_rank_one_sends_to_the_experiment_is_seen_and_thrown_away(
    watched: tuple[list[Any], Path],
) -> None:
    for number, (messages, _, _) in enumerate(watched[0]):
        found = calls(messages, method="add_scalar", stage="validate")
        assert [(each.logger, each.name, each.value, each.step) for each in found] == [
            ("Board", "even/f1", 0.5 + number, 0)
        ]
        assert found[0].written == (number == 0)
        assert found[0].hook == "on_validation_epoch_end"
    assert ("even/f1", 0.5, 0) in watched[0][0][1]
    assert watched[0][1][1] == []


def test_what_lightning_passes_on_can_be_told_apart(watched: tuple[list[Any], Path]) -> None:
    for number, (messages, _, _) in enumerate(watched[0]):
        found = calls(messages, method="log_metrics", hook="self.log")
        assert {each.logger for each in found} == {"Board", "CSVLogger"}
        assert {each.written for each in found} == {number == 0}
        assert {"loss", "val_loss", "val_f1"} <= {each.name for each in found}
        # The calls of Board.log_metrics on its own experiment are not the user's.
        assert {each.name for each in calls(messages, method="add_scalar")} == {"even/f1"}


def test_loggers_are_given_back(watched: tuple[list[Any], Path]) -> None:
    assert [clean for _, _, clean in watched[0]] == [[True] * 3] * 2


def test_loggers_are_given_back_after_an_exception(tmp_path: Path) -> None:
    for _, _, clean in ranks.run(written, 2, str(tmp_path), True, True):
        assert clean == [True] * 3


def test_loggers_are_declared(watched: tuple[list[Any], Path]) -> None:
    for messages, _, _ in watched[0]:
        assert recorder.of(Declare, messages)[0].loggers == ("Board", "CSVLogger")


def on_tensorboard(folder: str, watched: bool) -> Any:
    from lightning.pytorch.loggers import TensorBoardLogger

    from ddpwatch_lightning import DDPWatch

    recorder.Recorder.install()
    logger = TensorBoardLogger(folder, name="", version="")
    fitting = trainer(*[DDPWatch()] * watched, logger=logger, log_every_n_steps=1)
    fitting.fit(Writing(), loader(16), loader(16))
    return recorder.bodies()


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Every scalar in a folder of event files: its steps and values, as TensorBoard shows them."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder)).Reload()
    return {tag: [(each.step, each.value) for each in events.Scalars(tag)]
            for tag in events.Tags()["scalars"]}  # fmt: skip


def test_tensorboard_gets_the_same_as_unwatched_and_what_rank_one_sends_is_told(
    tmp_path: Path,
) -> None:
    told = ranks.run(on_tensorboard, 2, str(tmp_path / "watched"), True)
    ranks.run(on_tensorboard, 2, str(tmp_path / "plain"), False)
    written = scalars(tmp_path / "watched")
    assert written == scalars(tmp_path / "plain")
    assert written["even/f1"] == [(0, 0.5)] * 2, "once in the sanity check, once after the epoch"
    for number, messages in enumerate(told):
        (call,) = calls(messages, method="add_scalar", stage="validate")
        assert (call.logger, call.name, call.value) == (
            "TensorBoardLogger", "even/f1", 0.5 + number,
        )  # fmt: skip
        assert call.written == (number == 0)
        logged = calls(messages, method="log_metrics", hook="self.log")
        assert {each.written for each in logged} == {number == 0}
        assert set(written) - {"even/f1"} <= {each.name for each in logged}
