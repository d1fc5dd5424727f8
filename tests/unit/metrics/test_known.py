"""Is every class that has a formula found, and are the others told why not?"""

from __future__ import annotations

import pytest
import torchmetrics
import torchmetrics.classification

from ddpwatch.metrics.known import Known, identify, why_unknown
from ddpwatch.wire.messages import StateSpec, TrackedMetric
from tests.unit.metrics.declared import metric


@pytest.mark.parametrize(
    ("base", "known"),
    [
        (
            "torchmetrics.classification.f_beta.MulticlassF1Score",
            Known("f1", "counts", "multiclass"),
        ),
        ("MulticlassF1Score", Known("f1", "counts", "multiclass")),
        ("BinaryStatScores", Known("stat_scores", "counts", "binary")),
        ("MultilabelExactMatch", Known("exact_match", "exact_match", "multilabel")),
        ("BinaryAUROC", Known("auroc", "curve", "binary")),
        ("torchmetrics.aggregation.MaxMetric", Known("max", "aggregate")),
        ("torchmetrics.regression.mse.MeanSquaredError", Known("mse", "sums")),
        ("PearsonCorrCoef", Known("pearson", "correlation")),
        ("MultilabelRankingLoss", Known("ranking_loss", "sums", "multilabel")),
        ("BinaryRankingLoss", None),
        ("MultilabelHingeLoss", None),
        ("BinaryEER", None),
        ("F1Score", None),
        ("MultilabelCohenKappa", None),
        ("BinaryExactMatch", None),
        ("Multiclass", None),
        ("", None),
    ],
)
def test_a_class_is_known_by_its_last_name(base, known):
    assert identify(base) == known


def test_every_known_class_exists():
    """A name that torchmetrics does not have would be a formula that nothing checks."""
    tasks = ("Binary", "Multiclass", "Multilabel")
    kinds = {name.removeprefix(t) for t in tasks for name in dir(torchmetrics.classification)}
    names = [task + kind for task in tasks for kind in kinds if identify(task + kind)]
    assert len(names) == 3 * 12 + 2 + 2 + 3 * 4 + 2 + 3
    assert [n for n in names if not hasattr(torchmetrics.classification, n)] == []


def test_every_known_name_without_a_task_exists():
    names = [name for name in dir(torchmetrics) if (known := identify(name)) and not known.task]
    more = {"CriticalSuccessIndex", "JensenShannonDivergence", "ContinuousRankedProbabilityScore"}
    regression = [name for name in dir(torchmetrics.regression) if identify(name)]
    assert more <= set(regression)
    assert len({*names, *regression}) == 4 + 18


def test_known_classes_have_no_excuse():
    assert why_unknown(metric("MulticlassF1Score")) == ""


def test_a_subclass_with_its_own_arithmetic_is_not_guessed_at():
    mine = TrackedMetric(path="m", cls="app.metrics.MyF1", base="")
    assert why_unknown(mine).startswith("MyF1 has its own update or compute")


def test_a_class_without_a_formula_is_named():
    said = why_unknown(metric("torchmetrics.text.bleu.BLEUScore"))
    assert said.startswith("no formula for BLEUScore; ")


def test_states_that_are_not_sent_are_the_reason():
    """A curve of all samples could be binned; other lists could not."""
    spec = StateSpec(name="preds", reduction="cat", is_list=True)
    curve = TrackedMetric(path="m", cls="BinaryAUROC", base="BinaryAUROC", states=(spec,))
    assert "not recomputed; thresholds=200 would be exact" in why_unknown(curve)
    other = TrackedMetric(path="m", cls="CatMetric", base="CatMetric", states=(spec,))
    assert why_unknown(other).startswith("unbounded list states are not sent")
    assert "thresholds" not in why_unknown(other)
    samplewise = metric("MulticlassF1Score", multidim_average="samplewise")
    assert "samplewise states" in why_unknown(samplewise)
