"""A call of `results.log` says all there is about its key."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torchmetrics import SumMetric

from ddpwatch.wire.codec import pack
from ddpwatch.wire.messages import Logged
from ddpwatch_lightning.log_calls import about, reduction

KEY = ("validation_step", "loss", 1)
VALUE = torch.tensor(1.0)


def test_every_option_is_taken_over() -> None:
    options = {"on_step": True, "on_epoch": False, "prog_bar": True, "logger": False}
    key = about(KEY, VALUE, {**options, "reduce_fx": torch.max, "sync_dist": True}, 7)
    assert (key.hook, key.name, key.dataloader, key.order) == (*KEY, 7)
    assert (key.on_step, key.on_epoch, key.prog_bar, key.logger) == (True, False, True, False)
    assert (key.reduce_fx, key.sync_dist, key.syncs, key.metric) == ("max", True, True, "")


def test_what_is_not_said_is_as_lightning_has_it() -> None:
    key = about(KEY, VALUE, {}, 0)
    assert (key.on_step, key.on_epoch, key.sync_dist, key.reduce_fx) == (False, True, False, "mean")


@pytest.mark.parametrize(
    ("value", "options"),
    [(VALUE, {"rank_zero_only": True}), (SumMetric(), {"metric_attribute": "sums"})],
)
def test_a_sync_may_be_asked_for_and_dropped(value: Any, options: dict[str, Any]) -> None:
    key = about(KEY, value, {"sync_dist": True, **options}, 0)
    assert (key.sync_dist, key.syncs) == (True, False)


def test_a_metric_that_does_not_sync_says_so() -> None:
    assert about(KEY, SumMetric(), {"metric_attribute": "a"}, 0).metric_syncs
    assert not about(
        KEY, SumMetric(sync_on_compute=False), {"metric_attribute": "a"}, 0
    ).metric_syncs


def test_a_sync_that_log_keeps_to_itself_is_found() -> None:
    def log(name: str, sync_dist: bool = False, sync_dist_group: Any = None) -> Any:
        return about(KEY, VALUE, {"sync_dist": False}, 0)

    assert log("loss", sync_dist=True).sync_dist
    assert not log("loss").sync_dist
    assert not log("another", sync_dist=True).sync_dist


@pytest.mark.parametrize(
    ("given", "name"), [("AVG", "mean"), ("Max", "max"), (torch.sum, "sum"), (min, "min")]
)
def test_reductions_have_lightnings_names(given: Any, name: str) -> None:
    assert reduction(given) == name


def test_long_names_and_foreign_groups_fit_the_wire() -> None:
    key = about(("h" * 9000, "n" * 9000, -1), VALUE, {"sync_dist_group": object()}, 0)
    assert key.group == "object"
    pack(Logged(stage="train", pass_=0, epoch=0, step=-1, keys=(key,)))
