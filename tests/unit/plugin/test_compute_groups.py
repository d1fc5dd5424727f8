"""Who updates the states that the members of a collection share?"""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics import ClasswiseWrapper, MetricCollection, SumMetric
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score, MulticlassRecall

from ddpwatch_lightning.compute_groups import arrangement, leaders

PREDS, TARGET = torch.tensor([0, 0, 1, 2]), torch.tensor([0, 1, 1, 2])


def collection() -> MetricCollection:
    return MetricCollection({"f1": MulticlassF1Score(3), "recall": MulticlassRecall(3)})


def parts(metrics: MetricCollection) -> dict[str, Any]:
    return dict(metrics._modules)


def test_no_groups_before_the_first_update() -> None:
    assert leaders([collection()]) == {}


def test_the_first_of_a_group_leads_it() -> None:
    metrics = collection()
    metrics.update(PREDS, TARGET)
    f1, recall = parts(metrics).values()
    assert leaders([metrics]) == {id(f1): f1, id(recall): f1}


def test_forward_alone_forms_no_groups() -> None:
    metrics = collection()
    metrics(PREDS, TARGET)
    assert leaders([metrics]) == {}


def test_groups_that_were_switched_off_or_given() -> None:
    apart = MetricCollection({"f1": MulticlassF1Score(3), "x": SumMetric()}, compute_groups=False)
    assert leaders([apart]) == {}
    given = MetricCollection(
        {"f1": MulticlassF1Score(3), "recall": MulticlassRecall(3)},
        compute_groups=[["f1", "recall"]],
    )
    f1, recall = parts(given).values()
    assert leaders([given])[id(recall)] is f1


def test_inside_wrappers_the_wrapped_metric_leads() -> None:
    metrics = MetricCollection(
        {
            "accuracy": ClasswiseWrapper(MulticlassAccuracy(3, average=None)),
            "recall": ClasswiseWrapper(MulticlassRecall(3, average=None)),
        }
    )
    metrics.update(PREDS, TARGET)
    metrics.update(PREDS, TARGET)
    accuracy, recall = (each.metric for each in parts(metrics).values())
    assert accuracy._update_count == 2
    assert leaders([metrics]) == {id(accuracy): accuracy, id(recall): accuracy}


def test_the_arrangement_changes_with_the_groups_and_only_then() -> None:
    metrics = collection()
    before = arrangement([metrics])
    assert arrangement([metrics]) == before
    metrics.update(PREDS, TARGET)
    grouped = arrangement([metrics])
    assert grouped != before
    metrics.update(PREDS, TARGET)
    metrics.reset()
    assert arrangement([metrics]) == grouped
