"""Which metric classes have a formula here, and what is to be said of the others?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ddpwatch.metrics.parameters import Task
from ddpwatch.wire.messages import TrackedMetric

Family: TypeAlias = Literal[
    "counts", "confusion", "exact_match", "curve", "aggregate", "sums", "correlation"
]

_TASKS: dict[str, Task] = {
    "Binary": "binary",
    "Multiclass": "multiclass",
    "Multilabel": "multilabel",
}
_CLASS = re.compile("(Binary|Multiclass|Multilabel)(.+)")

_BY_TASK: dict[str, tuple[str, Family]] = {
    "StatScores": ("stat_scores", "counts"),
    "Accuracy": ("accuracy", "counts"),
    "Precision": ("precision", "counts"),
    "Recall": ("recall", "counts"),
    "F1Score": ("f1", "counts"),
    "FBetaScore": ("fbeta", "counts"),
    "Specificity": ("specificity", "counts"),
    "HammingDistance": ("hamming_distance", "counts"),
    "NegativePredictiveValue": ("npv", "counts"),
    "JaccardIndex": ("jaccard", "confusion"),
    "ConfusionMatrix": ("confusion", "confusion"),
    "MatthewsCorrCoef": ("matthews_corrcoef", "confusion"),
    "CohenKappa": ("cohen_kappa", "confusion"),
    "ExactMatch": ("exact_match", "exact_match"),
    "PrecisionRecallCurve": ("precision_recall_curve", "curve"),
    "ROC": ("roc", "curve"),
    "AUROC": ("auroc", "curve"),
    "AveragePrecision": ("average_precision", "curve"),
    "HingeLoss": ("hinge_loss", "sums"),
    "CoverageError": ("coverage_error", "sums"),
    "RankingAveragePrecision": ("ranking_average_precision", "sums"),
    "RankingLoss": ("ranking_loss", "sums"),
}
_BY_NAME: dict[str, tuple[str, Family]] = {
    "MeanMetric": ("mean", "aggregate"),
    "SumMetric": ("sum", "aggregate"),
    "MinMetric": ("min", "aggregate"),
    "MaxMetric": ("max", "aggregate"),
    "MeanSquaredError": ("mse", "sums"),
    "MeanAbsoluteError": ("mae", "sums"),
    "MeanAbsolutePercentageError": ("mape", "sums"),
    "SymmetricMeanAbsolutePercentageError": ("smape", "sums"),
    "WeightedMeanAbsolutePercentageError": ("wmape", "sums"),
    "MeanSquaredLogError": ("msle", "sums"),
    "LogCoshError": ("log_cosh", "sums"),
    "R2Score": ("r2", "sums"),
    "ExplainedVariance": ("explained_variance", "sums"),
    "RelativeSquaredError": ("rse", "sums"),
    "TweedieDevianceScore": ("tweedie_deviance", "sums"),
    "MinkowskiDistance": ("minkowski", "sums"),
    "KLDivergence": ("kl_divergence", "sums"),
    "JensenShannonDivergence": ("js_divergence", "sums"),
    "CriticalSuccessIndex": ("csi", "sums"),
    "ContinuousRankedProbabilityScore": ("crps", "sums"),
    "PearsonCorrCoef": ("pearson", "correlation"),
    "ConcordanceCorrCoef": ("concordance", "correlation"),
}
_RANKINGS = ("CoverageError", "RankingAveragePrecision", "RankingLoss")
_ABSENT = frozenset(
    {"BinaryExactMatch", "MultilabelCohenKappa", "MultilabelHingeLoss"}
    | {task + kind for task in ("Binary", "Multiclass") for kind in _RANKINGS}
)
_BINNED = frozenset({"PrecisionRecallCurve", "ROC", "AUROC", "AveragePrecision"}) | frozenset(
    {"EER", "LogAUC", "RecallAtFixedPrecision", "PrecisionAtFixedRecall"}
    | {"SensitivityAtSpecificity", "SpecificityAtSensitivity"}
)


@dataclass(frozen=True, slots=True)
class Known:
    """What a class computes, of which family its states are; only classification has a task."""

    quantity: str
    family: Family
    task: Task | None = None


def identify(base: str) -> Known | None:
    """Return what a torchmetrics class (its qualified or bare name) computes, if known here."""
    name = base.rpartition(".")[2]
    if name in _BY_NAME:
        return Known(*_BY_NAME[name])
    found = _CLASS.fullmatch(name)
    if found is None or name in _ABSENT or found[2] not in _BY_TASK:
        return None
    return Known(*_BY_TASK[found[2]], _TASKS[found[1]])


def why_unknown(metric: TrackedMetric) -> str:
    """Return why no formula applies and what would help, in a few words; empty where one does."""
    if metric.params.get("multidim_average") == "samplewise":
        return "samplewise states grow with the data and are not sent; 'global' ones would be"
    if any(spec.is_list for spec in metric.states):
        return _why_lists(metric.base)
    if identify(metric.base) is not None:
        return ""
    name = metric.cls.rpartition(".")[2][:60]
    if not metric.base:
        return f"{name} has its own update or compute; a plain torchmetrics metric would be known"
    return f"no formula for {name}; what Lightning logs of it is not recomputed here"


def _why_lists(base: str) -> str:
    """Say what would do instead of list states, which hold every sample and are not sent."""
    found = _CLASS.fullmatch(base.rpartition(".")[2])
    if found is not None and found[2] in _BINNED:
        return "unbounded list states are not sent: not recomputed; thresholds=200 would be exact"
    return "unbounded list states are not sent: not recomputed; states of fixed size would be"
