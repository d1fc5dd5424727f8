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
        ("torchmetrics.classification.f_beta.MulticlassF1Score", Known("f1", "multiclass")),
        ("MulticlassF1Score", Known("f1", "multiclass")),
        ("BinaryStatScores", Known("stat_scores", "binary")),
        ("MultilabelExactMatch", Known("exact_match", "multilabel")),
        ("torchmetrics.aggregation.MaxMetric", Known("max", None)),
        ("BinaryAUROC", None),
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
    assert len(names) == 3 * 12 + 2 + 2
    assert [n for n in names if not hasattr(torchmetrics.classification, n)] == []


def test_known_classes_have_no_excuse():
    assert why_unknown(metric("MulticlassF1Score")) == ""


def test_a_subclass_with_its_own_arithmetic_is_not_guessed_at():
    mine = TrackedMetric(path="m", cls="app.metrics.MyF1", base="")
    assert why_unknown(mine).startswith("MyF1 has its own update or compute")


def test_a_class_without_a_formula_is_named():
    assert why_unknown(metric("torchmetrics.text.bleu.BLEUScore")).startswith(
        "no formula for BLEUScore; "
    )


def test_states_that_are_not_sent_are_the_reason():
    spec = StateSpec(name="preds", reduction="cat", is_list=True)
    curve = TrackedMetric(path="m", cls="BinaryAUROC", base="BinaryAUROC", states=(spec,))
    assert "list states" in why_unknown(curve)
    samplewise = metric("MulticlassF1Score", multidim_average="samplewise")
    assert "samplewise states" in why_unknown(samplewise)
