"""A result collection is heard through wrappers, which leave no trace."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
import torch
from lightning.pytorch.trainer.connectors.logger_connector.result import _ResultCollection
from torchmetrics import SumMetric

from ddpwatch_lightning.ledger import Ledger
from ddpwatch_lightning.logged import METHODS, ResultsTap
from ddpwatch_lightning.passes import Pass

HERE = Pass("train", 0, 0).position()
VALUE = torch.tensor(2.0)


class Audience:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.publisher = self
        self.where = ("hook before", "", 0.0)
        self.told: list[str] = []
        self.errors: list[str] = []

    def here(self, hook: str, key: str = "") -> Any:
        self.where = (hook, key, 1.0)
        self.told.append(f"at {hook} {key}")

    def back(self, where: Any) -> None:
        self.where = where
        self.told.append("back")

    def snapshot(self) -> None:
        return None

    def waits(self, ledger: Ledger) -> None:
        self.told.append("waits")

    def is_over(self, ledger: Ledger, results: Mapping[str, Any]) -> Ledger:
        self.told.append(f"over with {len(results)}")
        return Ledger(lambda chore: True)

    def failed(self, where: str, error: Exception) -> None:
        self.errors.append(f"{where}: {error!r}")


class Scene:
    def __init__(self) -> None:
        self.results = _ResultCollection(training=True)
        self.audience = Audience()
        self.tap = ResultsTap(self.results, Ledger(lambda chore: True), self.audience, object())

    def said(self) -> list[Any]:
        return list(self.tap.ledger.message(HERE, 0).keys)


def test_calls_reach_lightning_and_the_ledger() -> None:
    scene = Scene()
    scene.results.batch = torch.ones(5, 2)
    scene.results.log("training_step", "loss", VALUE, on_step=True)
    scene.results.log("training_step", "loss", VALUE, on_step=True)
    (key,) = scene.said()
    assert (key.calls, key.weight, key.total) == (2, 10.0, 4.0)
    assert float(scene.results["training_step.loss"].value) == 20.0
    assert scene.audience.told == []


def test_options_by_position_are_understood() -> None:
    scene = Scene()
    scene.results.log("training_step", "loss", VALUE, True, False, True, True, "max")
    (key,) = scene.said()
    assert (key.prog_bar, key.logger, key.on_step, key.reduce_fx) == (True, False, True, "max")


@pytest.mark.parametrize(("given", "weight"), [(7, 7.0), (0, 0.0), (None, 1.0)])
def test_the_weight_is_the_one_that_lightning_takes(given: int | None, weight: float) -> None:
    scene = Scene()
    scene.results.log("on_train_epoch_end", "loss", VALUE, batch_size=given)
    assert scene.said()[0].weight == weight


def test_the_loaders_index_counts_where_lightning_appends_it() -> None:
    scene = Scene()
    scene.results.dataloader_idx = 1
    scene.results.log("validation_step", "a", VALUE)
    scene.results.log("validation_step", "b", VALUE, add_dataloader_idx=False)
    assert [(key.name, key.dataloader) for key in scene.said()] == [("a", 1), ("b", -1)]


def reduced(value: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    return value + 100


SYNCED = {"sync_dist": True, "on_step": True, "sync_dist_fn": reduced}


def test_a_synced_step_is_written_down_and_placed_before_lightning_waits() -> None:
    scene = Scene()
    seen: list[Any] = []

    def waiting(value: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        seen.append((scene.audience.where[:2], scene.said()[0].last))
        return value

    scene.results.log("training_step", "loss", VALUE, **{**SYNCED, "sync_dist_fn": waiting})
    assert seen == [(("training_step", "loss"), 2.0)]
    assert scene.audience.where[0] == "hook before"
    assert "waits" in scene.audience.told


def test_a_guess_of_the_batch_size_is_taken_back() -> None:
    scene = Scene()
    scene.results.batch = {"nothing": 0, "inputs": torch.ones(6, 2)}
    scene.results.log("training_step", "loss", VALUE, **SYNCED)
    (key,) = scene.said()
    assert (key.calls, key.weight) == (
        1,
        float(scene.results["training_step.loss"].cumulated_batch_size),
    )


def test_what_lightning_refuses_is_raised_and_leaves_the_place_as_it_was() -> None:
    scene = Scene()
    scene.results.log("training_step", "loss", VALUE, **SYNCED)
    with pytest.raises(Exception, match="twice"):
        scene.results.log("training_step", "loss", VALUE, prog_bar=True, **SYNCED)
    assert scene.audience.where[0] == "hook before"


def test_a_failure_of_ours_stays_ours() -> None:
    scene = Scene()
    scene.tap.ledger.enter = None  # type: ignore[assignment]
    scene.results.log("training_step", "loss", VALUE)
    scene.results.log("training_step", "synced", VALUE, **SYNCED)
    assert len(scene.results) == 2
    assert [each.partition(":")[0] for each in scene.audience.errors] == ["self.log"] * 2


def test_items_are_named_while_they_are_reduced_at_the_end_of_an_epoch() -> None:
    scene = Scene()
    scene.results.log("training_step", "local", VALUE)
    scene.results.log("training_step", "synced", VALUE, sync_dist=True, sync_dist_fn=reduced)
    scene.results.log("training_step", "object", SumMetric(), metric_attribute="sums")
    assert list(scene.results.metrics(on_step=True)["log"]) == []
    assert scene.audience.told == []
    values = scene.results.metrics(False)["log"]
    assert list(values) == ["local", "synced", "object"]
    assert scene.audience.told == [
        "waits",
        "at training_step synced",
        "at training_step object",
        "back",
    ]
    scene.audience.told.clear()
    scene.results.metrics(False)
    assert scene.audience.told == ["waits", "back"]


def test_a_reset_of_all_ends_a_pass_and_one_of_a_hook_does_not() -> None:
    scene = Scene()
    scene.results.log("training_step", "loss", VALUE)
    before = scene.tap.ledger
    scene.results.reset(metrics=False, fx="training_step")
    scene.results.reset(metrics=True)
    assert scene.tap.ledger is before
    scene.results.reset()
    assert scene.tap.ledger is not before
    assert scene.audience.told == ["over with 1"]


def test_after_restoring_nothing_is_left() -> None:
    scene = Scene()
    assert set(METHODS) <= set(vars(scene.results))
    scene.tap.restore()
    assert not set(METHODS) & set(vars(scene.results))


def test_what_others_wrapped_before_and_after_is_theirs() -> None:
    results = _ResultCollection(training=True)
    heard: list[str] = []
    results.reset = lambda *_: heard.append("theirs")  # type: ignore[method-assign]
    before = vars(results)["reset"]
    tap = ResultsTap(results, Ledger(lambda chore: True), Audience(), object())
    results.reset()
    assert heard == ["theirs"]
    results.log = partial(vars(results)["log"])  # type: ignore[method-assign]
    after = vars(results)["log"]
    tap.restore()
    assert (vars(results)["reset"], vars(results)["log"]) == (before, after)
