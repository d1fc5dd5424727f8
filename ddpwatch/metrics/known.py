"""Which metric classes have a formula here, and what is to be said of the others?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ddpwatch.metrics.parameters import Task
from ddpwatch.wire.messages import TrackedMetric

_TASKS: dict[str, Task] = {
    "Binary": "binary",
    "Multiclass": "multiclass",
    "Multilabel": "multilabel",
}
_CLASS = re.compile("(Binary|Multiclass|Multilabel)(.+)")

_QUANTITIES = {
    "StatScores": "stat_scores",
    "Accuracy": "accuracy",
    "Precision": "precision",
    "Recall": "recall",
    "F1Score": "f1",
    "FBetaScore": "fbeta",
    "Specificity": "specificity",
    "HammingDistance": "hamming_distance",
    "NegativePredictiveValue": "npv",
    "JaccardIndex": "jaccard",
    "ConfusionMatrix": "confusion",
    "MatthewsCorrCoef": "matthews_corrcoef",
    "CohenKappa": "cohen_kappa",
    "ExactMatch": "exact_match",
}
_AGGREGATORS = {"MeanMetric": "mean", "SumMetric": "sum", "MinMetric": "min", "MaxMetric": "max"}
_ABSENT = frozenset({"BinaryExactMatch", "MultilabelCohenKappa"})


@dataclass(frozen=True, slots=True)
class Known:
    """What a class computes; an aggregator has no task."""

    quantity: str
    task: Task | None


def identify(base: str) -> Known | None:
    """Return what a torchmetrics class (its qualified or bare name) computes, if known here."""
    name = base.rpartition(".")[2]
    if name in _AGGREGATORS:
        return Known(_AGGREGATORS[name], None)
    found = _CLASS.fullmatch(name)
    if found is None or name in _ABSENT or found[2] not in _QUANTITIES:
        return None
    return Known(_QUANTITIES[found[2]], _TASKS[found[1]])


def why_unknown(metric: TrackedMetric) -> str:
    """Return why no formula applies and what would help, in a few words; empty where one does."""
    if metric.params.get("multidim_average") == "samplewise":
        return "samplewise states grow with the data and are not sent; 'global' ones would be"
    if any(spec.is_list for spec in metric.states):
        return "list states grow with the data and are not sent; states of fixed size would be"
    if identify(metric.base) is not None:
        return ""
    name = metric.cls.rpartition(".")[2][:60]
    if not metric.base:
        return f"{name} has its own update or compute; a plain torchmetrics metric would be known"
    return f"no formula for {name}; a counts metric (StatScores, ConfusionMatrix) would be known"
