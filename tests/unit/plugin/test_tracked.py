"""Metrics are found wherever a module keeps them, each object once, without being asked to copy."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torchmetrics import ClasswiseWrapper, MeanMetric, MetricCollection, MinMaxMetric, SumMetric
from torchmetrics.classification import BinaryAccuracy, MulticlassF1Score, MulticlassRecall

from ddpwatch_lightning.tracked import Selection, find

EVERYTHING = Selection()


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.loss = MeanMetric()


class Holding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.val = MetricCollection(
            {"f1": MulticlassF1Score(3), "recall": MulticlassRecall(3)}, prefix="val_"
        )
        self.parts = nn.ModuleList([BinaryAccuracy()])
        self.wrapped = ClasswiseWrapper(MulticlassF1Score(3, average=None))
        self.again = self.inner.loss
        self.loose = {"sum": SumMetric(), "all": MetricCollection([BinaryAccuracy()])}
        self.listed = [MeanMetric(), "text", self.inner.loss]


def paths(module: nn.Module, selection: Selection = EVERYTHING) -> dict[str, bool]:
    return {each.path: each.registered for each in find(module, selection).metrics}


def test_every_place_is_searched() -> None:
    assert paths(Holding()) == {
        "inner.loss": True,
        "val.f1": True,
        "val.recall": True,
        "parts.0": True,
        "wrapped.metric": True,
        "loose.sum": False,
        "loose.all.BinaryAccuracy": False,
        "listed.0": False,
    }


def test_collections_are_found_registered_or_not() -> None:
    module = Holding()
    assert find(module, EVERYTHING).collections == (module.val, module.loose["all"])


def test_finding_does_not_make_members_of_a_group_copy_their_states() -> None:
    module = Holding()
    module.val.update(torch.tensor([0, 1]), torch.tensor([0, 2]))
    module.val.update(torch.tensor([0, 1]), torch.tensor([0, 2]))
    find(module, EVERYTHING)
    assert module.val._modules["f1"].tp is module.val._modules["recall"].tp


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(include=("val.*",)), {"val.f1", "val.recall"}),
        (Selection(include=("val.*", "inner*"), exclude=("*.f1",)), {"val.recall", "inner.loss"}),
        (Selection(exclude=("*",)), set()),
    ],
)
def test_patterns_select_by_path(selection: Selection, expected: set[str]) -> None:
    assert set(paths(Holding(), selection)) == expected


def test_an_excluded_metric_does_not_come_back_by_another_path() -> None:
    module = Holding()
    module.listed = [module.inner.loss]
    assert not [path for path in paths(module, Selection(exclude=("inner*",))) if "listed" in path]


def test_wrappers_with_states_are_metrics_themselves_too() -> None:
    module = nn.Module()
    module.extremes = MinMaxMetric(BinaryAccuracy())
    assert "extremes._base_metric" in paths(module)


def test_declarations_are_alike_until_something_they_tell_changes() -> None:
    module = Holding()
    before = find(module, EVERYTHING)
    module.val.update(torch.tensor([0, 1]), torch.tensor([0, 2]))
    assert find(module, EVERYTHING).looks_like(before)
    module.inner.loss = MeanMetric()
    assert not find(module, EVERYTHING).looks_like(before)
