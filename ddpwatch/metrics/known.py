"""Which metric classes have a formula here?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ddpwatch.metrics.parameters import Task

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
