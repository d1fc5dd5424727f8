"""Is every class that has a formula found, and no other?"""

from __future__ import annotations

import pytest
import torchmetrics
import torchmetrics.classification

from ddpwatch.metrics.known import Known, identify


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
