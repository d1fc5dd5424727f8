"""Which rows does a binned curve yield, and are they those of the pooled data?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.metrics.evaluate import evaluate_ranks
from tests.unit.metrics.binned import confmat, curve
from tests.unit.metrics.declared import NEWEST, score

LEVELS = [0.25, 0.5, 0.75]
# On its own, each rank would choose another threshold than both together.
RANKS = [([0.3, 0.6, 0.8], [0, 1, 1]), ([0.3, 0.6, 0.6], [1, 1, 0])]
BEST = ("best_f1", "best_precision", "best_recall", "best_threshold")


def evaluated(metric, ranks=RANKS):
    return evaluate_ranks(metric, [[confmat(*rank, LEVELS)] for rank in ranks], NEWEST)


def names(evaluation):
    return [
        (each.name, each.average, each.labels is not None, each.own) for each in evaluation.scores
    ]


def test_a_curve_yields_its_best_point_on_every_rank_and_over_all():
    found = evaluated(curve("BinaryPrecisionRecallCurve", LEVELS))
    assert names(found.global_) == [(name, "", False, False) for name in BEST]
    assert score(found.local, "best_threshold").values.tolist() == [0.5, 0.25]
    assert score(found.local, "best_f1").values == pytest.approx([1.0, 0.8])
    assert score(found.global_, "best_threshold").values.tolist() == [0.25]
    assert score(found.global_, "best_f1").values == pytest.approx([2 * 4 / (6 + 4)])
    assert found.local.samples.tolist() == [3, 3]
    assert found.global_.reason == ""


def test_an_area_comes_first_and_is_the_metrics_own():
    found = evaluated(curve("BinaryAUROC", LEVELS))
    assert names(found.local)[0] == ("auroc", "", False, True)
    assert [name for name, *_ in names(found.local)[1:]] == list(BEST)


def test_labels_have_rows_of_their_own_and_only_shares_are_averaged():
    ranks = [(np.transpose([s, s[::-1]]), np.transpose([t, t[::-1]])) for s, t in RANKS]
    metric = curve("MultilabelAveragePrecision", LEVELS, ("a", "b"), num_labels=2)
    found = evaluated(metric, ranks)
    rows = names(found.global_)
    assert rows[:2] == [
        ("average_precision", "macro", False, True),
        ("average_precision", "none", True, False),
    ]
    assert [row for row in rows if row[0] == "best_threshold"] == [
        ("best_threshold", "none", True, False)
    ]
    assert score(found.global_, "best_threshold", per_class=True).labels == ("a", "b")
    each = score(found.global_, "best_f1", per_class=True).values
    assert score(found.global_, "best_f1").values == pytest.approx(each.mean())


def test_values_per_class_are_own_where_nothing_is_averaged():
    ranks = [(np.transpose([s, s]), np.transpose([t, t])) for s, t in RANKS]
    metric = curve("MultilabelAUROC", LEVELS, num_labels=2, average=None)
    rows = names(evaluated(metric, ranks).local)[:2]
    assert rows == [("auroc", "macro", False, False), ("auroc", "none", True, True)]


def test_a_pooled_multiclass_curve_has_one_best_point():
    metric = curve("MulticlassPrecisionRecallCurve", LEVELS, num_classes=3, average="micro")
    found = evaluated(metric)
    assert names(found.global_) == [(name, "micro", False, False) for name in BEST]
    assert found.local.samples.tolist() == [1, 1]


def test_a_micro_average_pools_the_labels():
    ranks = [(np.transpose([s, s]), np.transpose([t, t])) for s, t in RANKS]
    metric = curve("MultilabelAUROC", LEVELS, num_labels=2, average="micro")
    found = evaluated(metric, ranks)
    alone = evaluated(curve("BinaryAUROC", LEVELS))
    assert score(found.global_, "auroc").values == score(alone.global_, "auroc").values
    assert names(found.global_)[0] == ("auroc", "micro", False, True)


def test_without_thresholds_the_rest_is_still_known():
    found = evaluated(curve("BinaryPrecisionRecallCurve", None)).global_
    assert [each.name for each in found.scores] == list(BEST[:3])
    assert "did not say what the thresholds are" in found.reason


@pytest.mark.parametrize("params", [{"thresholds": [0.5]}, {"max_fpr": 7.0}])
def test_what_does_not_fit_becomes_the_reason(params):
    metric = curve("BinaryAUROC", LEVELS)
    metric.params.update(params)
    found = evaluated(metric)
    assert found.global_.scores == ()
    assert found.global_.reason
