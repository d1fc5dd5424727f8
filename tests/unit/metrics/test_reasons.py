"""Are metrics without a value told why, and what would help?"""

from __future__ import annotations

from ddpwatch.metrics.reasons import why_unknown
from ddpwatch.wire.messages import StateSpec, TrackedMetric
from tests.unit.metrics.declared import NEWEST, metric


def test_known_classes_have_no_excuse():
    assert why_unknown(metric("MulticlassF1Score"), NEWEST) == ""


def test_a_subclass_with_its_own_arithmetic_is_not_guessed_at():
    mine = TrackedMetric(path="m", cls="app.metrics.MyF1", base="")
    assert why_unknown(mine, NEWEST).startswith("MyF1 has its own update or compute")


def test_a_class_without_a_formula_is_named():
    said = why_unknown(metric("torchmetrics.text.bert.BERTScore"), NEWEST)
    assert said.startswith("no formula for BERTScore; ")


def test_states_that_are_not_sent_are_the_reason():
    """A curve of all samples could be binned; other lists could not."""
    spec = StateSpec(name="preds", reduction="cat", is_list=True)
    curve = TrackedMetric(path="m", cls="BinaryAUROC", base="BinaryAUROC", states=(spec,))
    assert "not recomputed; thresholds=200 would keep counts" in why_unknown(curve, NEWEST)
    other = TrackedMetric(path="m", cls="CatMetric", base="CatMetric", states=(spec,))
    assert why_unknown(other, NEWEST).startswith("unbounded lists are not sent")
    assert "thresholds" not in why_unknown(other, NEWEST)
    samplewise = metric("MulticlassF1Score", multidim_average="samplewise")
    assert "samplewise states" in why_unknown(samplewise, NEWEST)
