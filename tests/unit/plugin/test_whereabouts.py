"""A tracked metric is named while it is reduced over the ranks."""

from __future__ import annotations

from types import SimpleNamespace

from torchmetrics import Metric, SumMetric

from ddpwatch.link.outbox import Where
from ddpwatch_lightning.whereabouts import SyncListener, naming, syncs


class Placed:
    def __init__(self) -> None:
        self.where: Where = ("on_validation_batch_end", "", 5.0)
        self.seen: list[Where] = []

    def here(self, hook: str, key: str = "") -> Where:
        before, self.where = self.where, (hook, key, 6.0)
        self.seen.append(self.where)
        return before

    def back(self, where: Where) -> None:
        self.where = where


def test_a_metric_is_named_while_it_computes_and_not_before_or_after() -> None:
    placed, ours, other = Placed(), SumMetric(), SumMetric()
    module = SimpleNamespace(_current_fx_name="validation_step")
    listener = SyncListener(module, placed, lambda: {id(ours): "val.sums"})
    original = Metric.sync
    syncs.listen(listener)
    try:
        for metric in (ours, other):
            metric.update(1.0)
            assert float(metric.compute()) == 1.0
        module._current_fx_name = None
        ours.update(1.0)
        ours.compute()
    finally:
        syncs.forget(listener)
    assert [each[:2] for each in placed.seen] == [
        ("validation_step", "val.sums"),
        ("on_validation_batch_end", "val.sums"),
    ]
    assert placed.where == ("on_validation_batch_end", "", 5.0)
    assert Metric.sync is original


def test_items_of_another_make_pass_unnamed() -> None:
    placed = Placed()
    strange = [("key", object()), ("other", None)]
    assert list(naming(strange, placed)) == strange
    assert placed.seen == []
