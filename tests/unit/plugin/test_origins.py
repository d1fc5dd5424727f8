"""Where a number came from is told if it is proven, and not otherwise."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torchmetrics import MeanMetric, Metric
from torchmetrics.classification import MulticlassF1Score, MulticlassRecall

from ddpwatch_lightning.origins import Lookup, Origin, Sources
from ddpwatch_lightning.tracked import Tracked


class Scene:
    """Metrics by their path, and one key whose values are logged one by one."""

    def __init__(self, key: str = "val_f1", **metrics: Metric) -> None:
        self.key = key
        found = [Tracked(path.replace("__", "."), each, True) for path, each in metrics.items()]
        self.sources = Sources(found)
        self.origin = Origin()

    def log(self, value: Tensor | float) -> None:
        number = value.item() if isinstance(value, Tensor) else value
        self.origin.narrow(number, self.sources.snapshot(), Lookup())

    @property
    def name(self) -> str:
        return self.origin.name(self.key)


PREDS, TARGET = torch.tensor([0, 1, 2, 2]), torch.tensor([0, 1, 1, 2])


def f1(**options: Any) -> MulticlassF1Score:
    return MulticlassF1Score(3, **options)


def test_forward_and_compute_are_told_apart_over_two_batches() -> None:
    metric = f1()
    returned, running = Scene(f1=metric), Scene(f1=metric)
    for first, last in ((0, 2), (1, 4)):
        returned.log(metric(PREDS[first:last], TARGET[first:last]))
        running.log(metric.compute())
    assert (returned.name, running.name) == ("forward:f1", "compute:f1")


def test_a_value_of_another_making_has_no_origin() -> None:
    metric = f1()
    scene = Scene(f1=metric)
    scene.log(metric(PREDS, TARGET) * 100)
    assert scene.name == ""
    assert not scene.origin.is_open


def test_one_value_that_differs_disproves_all_before() -> None:
    metric = f1()
    scene = Scene(f1=metric)
    scene.log(metric(PREDS, TARGET))
    assert scene.name == "forward:f1"
    scene.log(0.123)
    assert scene.name == ""


def test_an_entry_of_a_vector_has_its_index() -> None:
    metric = MulticlassRecall(3, average=None)
    metric.update(PREDS, TARGET)
    scene = Scene("recall_1", by_class=metric)
    scene.log(metric.compute()[1])
    assert scene.name == "compute:by_class:1"


@pytest.mark.parametrize(("key", "index"), [("recall_0", 0), ("recall_2", 2), ("recall_7", 0)])
def test_equal_entries_are_told_apart_by_the_keys_number(key: str, index: int) -> None:
    metric = MulticlassRecall(3, average=None)
    metric.update(PREDS, TARGET)
    scene = Scene(key, by_class=metric)
    assert metric.compute().tolist() == [1.0, 0.5, 1.0]
    scene.log(1.0)
    assert scene.name == f"compute:by_class:{index}"


def test_a_number_that_belongs_to_the_name_is_no_index() -> None:
    whole, by_class = f1(average="micro"), f1(average=None)
    whole.update(torch.tensor([0, 1]), torch.tensor([0, 1]))
    by_class.update(torch.tensor([0, 1]), torch.tensor([0, 1]))
    whole.compute()
    by_class.compute()
    scene = Scene("val_f1", f1=whole, other=by_class)
    scene.log(1.0)
    assert scene.name == "compute:f1"


@pytest.mark.parametrize(("key", "name"), [("val_f1", "compute:f1"), ("learning_rate", "")])
def test_one_and_zero_prove_nothing_without_the_name(key: str, name: str) -> None:
    metric = f1()
    metric.update(PREDS[:2], PREDS[:2])
    metric.compute()
    scene = Scene(key, f1=metric)
    scene.log(1.0)
    assert scene.name == name


def test_of_equal_metrics_the_one_in_the_name_counts() -> None:
    ours, others = f1(average="micro"), MulticlassRecall(3, average="micro")
    for metric in (ours, others):
        metric.update(PREDS, TARGET)
        metric.compute()
    for key, name in (("a_recall", "compute:val.recall"), ("a_f1", "compute:val.f1")):
        scene = Scene(key, val__f1=ours, val__recall=others)
        scene.log(0.75)
        assert scene.name == name


def test_a_reset_between_compute_and_log_hides_nothing() -> None:
    metric = f1()
    scene = Scene(f1=metric)
    metric.update(PREDS, TARGET)
    value = metric.compute()
    scene.sources.note_reset(metric)
    metric.reset()
    scene.log(value)
    assert scene.name == "compute:f1"
    scene.sources.forget_resets()
    late = Scene(f1=metric)
    late.log(value)
    assert late.name == ""


def test_a_double_that_went_through_single_precision_is_known() -> None:
    metric = MeanMetric()
    metric.set_dtype(torch.float64)
    metric.update(torch.tensor(1 / 3, dtype=torch.float64))
    scene = Scene("mean", mean=metric)
    scene.log(torch.tensor(metric.compute().item()))
    assert scene.name == "compute:mean"


def test_what_is_not_a_number_neither_proves_nor_disproves() -> None:
    metric = f1()
    scene = Scene(f1=metric)
    scene.log(float("nan"))
    assert scene.name == ""
    scene.log(metric(PREDS, TARGET))
    assert scene.name == "forward:f1"


def test_without_metrics_there_is_no_snapshot() -> None:
    scene = Scene()
    assert scene.sources.snapshot() is None
    scene.log(0.5)
    assert scene.name == ""
