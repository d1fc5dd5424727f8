"""Shadow metrics count what steps return, stage by stage, and are never computed."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torchmetrics import Metric

from ddpwatch_lightning.describe import describe
from ddpwatch_lightning.shadow import Shadow
from ddpwatch_lightning.shadowing import Shadowing

OUTPUTS = {"preds": [[0.9, 0.2], [0.4, 0.7]], "target": [[1, 0], [1, 1]]}


@pytest.fixture(autouse=True)
def never_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def sync(*_: Any, **__: Any) -> None:
        raise AssertionError("a shadow metric was synced")

    monkeypatch.setattr(Metric, "sync", sync)


def shadowing(**arguments: Any) -> tuple[Shadowing, list[str]]:
    told: list[str] = []
    shadow = Shadow(**{"task": "multilabel", "labels": ["even", "prime"], **arguments})
    return Shadowing(shadow, lambda _, text: told.append(text)), told


def counts(kept: Shadowing, path: str = "shadow.f1") -> list[list[int]]:
    metric: Any = {each.path: each.metric for each in kept.tracked}[path]
    return [getattr(metric, name).tolist() for name in ("tp", "fp", "tn", "fn")]


def test_counts_per_label() -> None:
    kept, told = shadowing()
    kept.update("validate", OUTPUTS, None)
    kept.update("validate", OUTPUTS, None)
    assert counts(kept) == [[2, 2], [0, 0], [0, 2], [2, 0]]
    assert told == []


def test_a_pass_forgets_the_one_before() -> None:
    kept, _ = shadowing()
    kept.update("sanity_check", OUTPUTS, None)
    kept.reset("validate")
    assert counts(kept) == [[0, 0]] * 4


def test_training_counts_on_its_own_and_when_asked_for() -> None:
    kept, _ = shadowing(stages=["train", "validate"])
    kept.update("train", OUTPUTS, None)
    kept.update("validate", OUTPUTS, None)
    kept.reset("validate")
    assert counts(kept, "shadow_train.f1") == [[1, 1], [0, 0], [0, 1], [1, 0]]
    only, told = shadowing(stages=["test"])
    only.update("train", None, None)
    only.update("validate", None, None)
    assert (counts(only), told) == ([[0, 0]] * 4, [])


def test_what_does_not_fit_is_told_and_not_counted() -> None:
    kept, told = shadowing()
    kept.update("validate", None, None)
    kept.update("validate", {"loss": 1}, None)
    kept.update("validate", OUTPUTS, None)
    assert len(told) == 2
    assert "got nothing" in told[0]
    assert counts(kept) == [[1, 1], [0, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("task", "labels", "base", "shape"),
    [
        ("binary", (), "BinaryF1Score", [11, 2, 2]),
        ("multiclass", 3, "MulticlassF1Score", [11, 3, 2, 2]),
        ("multilabel", ["even", "prime"], "MultilabelF1Score", [11, 2, 2, 2]),
    ],
)
def test_a_search_keeps_a_curve(task: Any, labels: Any, base: str, shape: list[int]) -> None:
    kept, _ = shadowing(task=task, labels=labels, threshold="best", thresholds=11)
    declared = [describe(each, object(), None) for each in kept.tracked]
    assert [(each.path, each.base) for each in declared] == [
        ("shadow.f1", base),
        ("shadow.curve", base.replace("F1Score", "PrecisionRecallCurve")),
    ]
    assert all(each.shadow for each in declared)
    names = ("even", "prime") if isinstance(labels, list) else ()
    assert {each.labels for each in declared} == {names}
    assert len(declared[1].params["thresholds"]) == 11
    curve: Any = kept.tracked[1].metric
    assert list(curve.confmat.shape) == shape


def test_inference_mode_and_gradients_are_no_matter() -> None:
    kept, told = shadowing(search=True)
    scores = torch.tensor(OUTPUTS["preds"], requires_grad=True)
    for _ in range(2):
        with torch.inference_mode():
            kept.update("validate", {**OUTPUTS, "preds": scores * 1.0}, None)
            kept.reset("validate")
            kept.update("validate", OUTPUTS, None)
    kept.reset("validate")
    kept.update("validate", {**OUTPUTS, "preds": scores}, None)
    assert (counts(kept)[0], told) == ([1, 1], [])
