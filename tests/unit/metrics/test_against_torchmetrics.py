"""Is every value that of the torchmetrics beside us, in one process that plays all ranks?"""

from __future__ import annotations

import copy
import dataclasses
import functools

import numpy as np
import pytest
import torch
import torchmetrics
import torchmetrics.classification as tmc
from hypothesis import assume, given
from hypothesis import strategies as st

from ddpwatch.metrics.evaluate import evaluate_ranks
from tests.ddp import truth_cases as cases
from tests.ddp import truth_curves, truth_sums
from tests.ddp.truth_reference import check, disagreements, evaluate_all, synchronised
from tests.unit.metrics.declared import score


def test_random_cases_agree():
    came = check(900, first=50_000)
    assert came["misfits"] == []
    assert came["refused"] == []
    every = 44 + 3 * len(truth_curves.CURVES) + len(truth_sums.classes())
    assert len(came["seen"]) == every, "every class was drawn"


@pytest.mark.soak
def test_thousands_of_random_cases_agree():
    came = check(8000, first=60_000)
    assert came["misfits"] == []
    assert came["refused"] == []


DERIVED = {"f1": "F1Score", "precision": "Precision", "recall": "Recall"}


@pytest.mark.parametrize("task", cases.TASKS)
@pytest.mark.parametrize("kind", cases.STAT_SCORES)
@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
@pytest.mark.parametrize("top_k", [1, 2])
def test_derived_scores_are_those_of_their_own_class(task, kind, average, top_k):
    """The same counts in an F1, a precision and a recall object of torchmetrics."""
    shape = {"Binary": {}, "Multiclass": {"num_classes": 4, "top_k": top_k}}
    kwargs = shape.get(task, {"num_labels": 4})
    if task != "Binary":
        kwargs = {**kwargs, "average": average}
    extra = {"beta": 2.0} if kind == "FBetaScore" else {}
    owner = getattr(tmc, task + kind)(**kwargs, **extra)
    for name in owner._defaults:
        state = getattr(owner, name)
        setattr(owner, name, torch.randint(0, 4, state.shape))
    owner._update_count = 1
    ours = evaluate_all([owner]).local
    for name, cls in DERIVED.items():
        for how, per_class in ((average or "macro", False), (None, True)):
            if per_class and not any(s.name == name and s.labels for s in ours.scores):
                continue
            theirs = _twin(owner, task + cls, {**kwargs, "average": how}, task)
            came = score(ours, name, per_class=per_class).values[0]
            assert cases.agree(came.reshape(-1), theirs), (name, how)


def _twin(owner, cls, kwargs, task):
    if task == "Binary":
        kwargs = {}
    twin = getattr(tmc, cls)(**kwargs)
    for name in twin._defaults:
        setattr(twin, name, copy.deepcopy(getattr(owner, name)))
    twin._update_count = 1
    return cases.compute(twin, sync=False)


@pytest.mark.parametrize(
    "cls",
    ["MulticlassF1Score", "MulticlassMatthewsCorrCoef", "MeanMetric", "PearsonCorrCoef",
     "MeanSquaredError"],
)  # fmt: skip
def test_fifty_ranks_agree(cls):
    case = cases.Case(7, cls, "Multiclass", 4, {"num_classes": 4}, False, 13)
    if not cls.startswith("Multiclass"):
        case = cases.Case(7, cls, "", 0, {}, False, 13)
    metrics = [cases.build(case) for _ in range(50)]
    for rank, metric in enumerate(metrics):
        cases.feed(metric, case, rank)
    assert list(disagreements(case, metrics)) == []


RANK = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3)), max_size=12)


@given(ranks=st.lists(RANK, min_size=1, max_size=4), bins=st.sampled_from([2, 3, 9, 41]))
def test_the_best_threshold_is_that_of_the_curve_over_the_pooled_data(ranks, bins):
    """Two labels per sample; few distinct scores, so that many thresholds are equally good."""
    assume(any(ranks))
    parts = [_two_labels(rank) for rank in ranks]
    make = functools.partial(tmc.MultilabelPrecisionRecallCurve, num_labels=2, thresholds=bins)
    metrics = [make() for _ in parts]
    for metric, part in zip(metrics, parts, strict=True):
        metric.update(*part)
    pooled = make()
    pooled.update(*(torch.cat(each) for each in zip(*parts, strict=True)))
    found = evaluate_all(metrics)
    for ours, theirs in [(found.global_, pooled), *zip(_each(found.local), metrics, strict=True)]:
        curve = truth_curves.best_points(*theirs.compute())
        for name, values in zip(truth_curves.BEST, curve, strict=True):
            assert np.array_equal(
                score(ours, name, per_class=True).values[0], values, equal_nan=True
            ), name


def _two_labels(samples):
    scores = torch.tensor([[s / 8, 1 - s / 8] for s, _ in samples]).reshape(-1, 2)
    return scores, torch.tensor([[t % 2, t // 2] for _, t in samples], dtype=int).reshape(-1, 2)


def _each(evaluation):
    """Return the evaluation of each rank on its own."""
    for rank in range(len(evaluation.samples)):
        scores = [
            dataclasses.replace(each, values=each.values[[rank]]) for each in evaluation.scores
        ]
        yield dataclasses.replace(evaluation, scores=tuple(scores))


@pytest.mark.parametrize("task", cases.TASKS)
@pytest.mark.parametrize("kind", ["ROC", "AUROC", "AveragePrecision"])
def test_every_class_that_holds_a_curve_knows_its_best_threshold(task, kind):
    width = {"Multiclass": {"num_classes": 3}, "Multilabel": {"num_labels": 3}}.get(task, {})
    case = cases.Case(11, task + kind, task, 3, {**width, "thresholds": 20}, False, None)
    metric, curve = cases.build(case), getattr(tmc, f"{task}PrecisionRecallCurve")
    twin = curve(**width, thresholds=20)
    for each in (metric, twin):
        cases.feed(each, case, 0)
    theirs = truth_curves.best_points(*twin.compute())
    ours = evaluate_all([metric]).global_
    for name, values in zip(truth_curves.BEST, theirs, strict=True):
        came = score(ours, name, per_class=bool(width)).values[0]
        assert np.array_equal(came, values, equal_nan=True)


@pytest.mark.parametrize("average", [None, "macro"])
def test_a_curve_that_averages_itself_has_the_same_best_thresholds(average):
    """torchmetrics then mixes the curves of all classes, but keeps the same counts."""
    case = cases.Case(5, "", "Multiclass", 3, {"num_classes": 3, "thresholds": 9}, False, None)
    metric = tmc.MulticlassPrecisionRecallCurve(num_classes=3, thresholds=9, average=average)
    twin = tmc.MulticlassPrecisionRecallCurve(num_classes=3, thresholds=9)
    for each in (metric, twin):
        cases.feed(each, case, 0)
    theirs = truth_curves.best_points(*twin.compute())
    found = score(evaluate_all([metric]).global_, "best_threshold", per_class=True)
    assert np.array_equal(found.values[0], theirs[3], equal_nan=True)


@pytest.mark.parametrize("largest", [10**4, 10**8, 10**10])
@pytest.mark.parametrize(
    "cls",
    ["MulticlassF1Score", "MulticlassJaccardIndex", "MulticlassMatthewsCorrCoef",
     "MulticlassCohenKappa", "BinaryMatthewsCorrCoef", "MultilabelAccuracy"],
)  # fmt: skip
def test_counts_beyond_single_precision_agree(cls, largest):
    kwargs = {"Binary": {}, "Multicl": {"num_classes": 5}, "Multila": {"num_labels": 5}}
    make = torch.Generator().manual_seed(largest)
    metric = getattr(tmc, cls)(**next(v for k, v in kwargs.items() if cls.startswith(k)))
    for name in metric._defaults:
        state = getattr(metric, name)
        setattr(metric, name, torch.randint(0, largest, state.shape, generator=make))
    metric._update_count = 1
    ours = cases.own(evaluate_all([metric]).local)[0]
    assert cases.agree(ours, cases.compute(metric, sync=False))


@pytest.mark.parametrize("cls", ["MeanMetric", "SumMetric", "MaxMetric"])
def test_half_precision_accumulators_agree(cls):
    """A bfloat16 counter stops at 256; the value shown is the one the ranks have."""
    metrics = [getattr(torchmetrics, cls)().set_dtype(torch.bfloat16) for _ in range(3)]
    for metric in metrics:
        for _ in range(300):
            metric.update(1.0)
        metric.update(0.37)
    result = evaluate_all(metrics)
    assert cases.own(result.local)[0] == cases.compute(metrics[0], sync=False)
    assert cases.own(result.global_)[0] == synchronised(metrics)


def test_a_wrong_formula_would_be_noticed(monkeypatch):
    """The comparison itself must be able to fail."""
    from ddpwatch.metrics import ratios

    broken = ratios.Ratio(lambda c, _: (c.tp, c.tp + c.fp + 1), zero_division=True)
    monkeypatch.setitem(ratios.RATIOS, "f1", broken)
    case = cases.Case(3, "MulticlassF1Score", "Multiclass", 3, {"num_classes": 3}, False, None)
    metric = cases.build(case)
    cases.feed(metric, case, 0)
    assert len(list(disagreements(case, [metric]))) == 2


def test_values_of_the_ranks_version_are_asked_for():
    """The same states, read as an older version would."""
    metric = tmc.MulticlassPrecision(num_classes=3, top_k=2)
    metric.update(torch.tensor([[0.5, 0.4, 0.1], [0.2, 0.5, 0.3]]), torch.tensor([0, 0]))
    track, states = cases.track(metric), [cases.arrays(metric)]
    new = cases.own(evaluate_ranks(track, states, {"torchmetrics": "1.9.0"}).local)
    old = cases.own(evaluate_ranks(track, states, {"torchmetrics": "1.0.3"}).local)
    assert cases.agree(new[0], cases.compute(metric, sync=False))
    assert not np.allclose(new, old)
