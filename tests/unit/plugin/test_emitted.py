"""The names and values that Lightning gives out are those of its own dictionaries."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from lightning.pytorch.trainer.connectors.logger_connector.result import _ResultCollection
from torchmetrics import SumMetric

from ddpwatch_lightning.emitted import emitted, given_out, key_of
from ddpwatch_lightning.log_calls import about
from ddpwatch_lightning.tally import Entry


def results(dataloader: int | None = None, **options: Any) -> _ResultCollection:
    collection = _ResultCollection(training=False)
    collection.dataloader_idx = dataloader
    collection.log("validation_step", "loss", torch.tensor(3.0), **options)
    return collection


def entries(collection: _ResultCollection) -> dict[Any, Entry]:
    items = list(collection.values())
    return {
        key_of(i.meta): Entry(about(key_of(i.meta), i.value, {}, n)) for n, i in enumerate(items)
    }


@pytest.mark.parametrize("dataloader", [None, 0, 2])
@pytest.mark.parametrize("appended", [True, False])
@pytest.mark.parametrize(("step", "epoch"), [(True, True), (True, False), (False, True)])
def test_names_are_lightnings(
    dataloader: int | None, appended: bool, step: bool, epoch: bool
) -> None:
    collection = results(dataloader, on_step=step, on_epoch=epoch, add_dataloader_idx=appended)
    logged = {**collection.metrics(on_step=True)["log"], **collection.metrics(on_step=False)["log"]}
    given = list(emitted(given_out(collection), entries(collection)))
    assert {each.name: each.value for each in given} == {k: float(v) for k, v in logged.items()}


def test_nothing_is_computed() -> None:
    collection = results()
    (given,) = emitted(given_out(collection), entries(collection))
    assert given.value is None
    assert collection["validation_step.loss"]._computed is None


def test_items_that_were_reset_give_nothing_out() -> None:
    collection = results()
    collection.reset()
    assert given_out(collection) == []


def test_a_metric_that_was_only_updated_has_no_step_value() -> None:
    collection = _ResultCollection(training=True)
    metric = SumMetric()
    for call, names in (
        (metric.update, ["sums_epoch"]),
        (metric.forward, ["sums_step", "sums_epoch"]),
    ):
        call(2.0)
        collection.log("training_step", "sums", metric, on_step=True, metric_attribute="sums")
        given = emitted(given_out(collection), entries(collection))
        assert [each.name for each in given] == names
