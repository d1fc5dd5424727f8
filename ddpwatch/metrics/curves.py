"""What do the confusion matrices at each threshold of a binned curve say?

Source: the `_compute` functions of torchmetrics/functional/classification for precision-recall
curve, ROC, AUROC and average precision. The areas are single precision as there; sums are rounded
once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ddpwatch.errors import StateError
from ddpwatch.metrics.averages import safe_divide, sum_classes
from ddpwatch.metrics.counts import as_samples, width_of
from ddpwatch.metrics.parameters import Parameters, Task, reals, word
from ddpwatch.metrics.states import Numbers, Stacked, take_counts

_AVERAGES: dict[str, tuple[str, ...]] = {
    "precision_recall_curve": ("none", "macro", "micro"),
    "roc": ("none", "macro", "micro"),
    "auroc": ("macro", "weighted", "none"),
    "average_precision": ("macro", "weighted", "none"),
}


@dataclass(frozen=True, slots=True)
class Bins:
    """The counts of N states at T thresholds, each (N, K, T), of K classes or labels.

    `labelled` says whether the K are told apart; else there is one. `thresholds` is None where the
    ranks did not say which these are.
    """

    labelled: bool
    thresholds: Numbers | None
    tp: Numbers
    fp: Numbers
    tn: Numbers
    fn: Numbers

    def pooled(self) -> Bins:
        """Return the counts summed over classes or labels."""
        summed = (part.sum(axis=1, keepdims=True) for part in (self.tp, self.fp, self.tn, self.fn))
        return Bins(False, self.thresholds, *summed)  # noqa: FBT003 - the field is named above

    def support(self) -> Numbers:
        """Return how many targets are positive, (N, K)."""
        positive: Numbers = (self.tp + self.fn)[..., 0]
        return positive


def read_average(quantity: str, task: Task, params: Parameters) -> str:
    """Return how the class averages, empty for binary ones.

    Raises:
        StateError: it is none of the words that this class takes.
    """
    if task == "binary":
        return ""
    is_curve = quantity in ("precision_recall_curve", "roc")
    if is_curve and task == "multilabel":
        return "none"
    allowed = _AVERAGES[quantity]
    if not is_curve and task == "multilabel":
        allowed = (*allowed, "micro")
    return word(params, "average", allowed, default="none" if is_curve else "macro")


def read_bins(stacked: Stacked, task: Task, params: Parameters, *, is_flat: bool) -> Bins:
    """Read the state `confmat`: (T, 2, 2) where binary or `is_flat`, else (T, K, 2, 2).

    Raises:
        StateError: its shape is not what task, width and thresholds promise.
    """
    thresholds = reals(params, "thresholds")
    count = None if thresholds is None else len(thresholds)
    flat = task == "binary" or is_flat
    if flat:
        matrix = take_counts(stacked, "confmat", (count, 2, 2))[:, :, np.newaxis]
    else:
        matrix = take_counts(stacked, "confmat", (count, width_of(task, params), 2, 2))
    by_class = matrix.transpose(0, 2, 1, 3, 4)
    tn, fp, fn, tp = (by_class[..., target, pred] for target in (0, 1) for pred in (0, 1))
    return Bins(not flat, thresholds, tp, fp, tn, fn)


def samples_of(bins: Bins, task: Task, params: Parameters) -> Numbers | None:
    """Return how many samples each state counted, (N,), or None where that cannot be told."""
    counted = (bins.tp + bins.fp + bins.tn + bins.fn)[..., 0].max(axis=1)
    if task == "multiclass" and not bins.labelled:
        width = width_of(task, params)
        return as_samples(counted // width) if width else None
    return as_samples(counted)


def auroc(bins: Bins) -> Numbers:
    """Return the area under each ROC curve, (N, K); a rate of nothing is 0."""
    fpr, tpr = _rates(bins)
    return sum_classes(_trapezoids(fpr, tpr))


def partial_auroc(bins: Bins, max_fpr: float) -> Numbers:
    """Return McClish's standardised area up to a false positive rate, (N, 1).

    Not-a-number where no point of the curve lies beyond `max_fpr`: torchmetrics fails there.
    """
    fpr, tpr = (rate[:, 0] for rate in _rates(bins))
    most = np.float32(max_fpr)
    inside = (fpr <= most).sum(axis=1)
    last, first = np.maximum(inside, 1) - 1, np.minimum(inside, fpr.shape[1] - 1)
    x0, x1 = _at(fpr, last), _at(fpr, first)
    y0, y1 = _at(tpr, last), _at(tpr, first)
    end = y0 + (most - x0) / (x1 - x0) * (y1 - y0)
    pieces = _trapezoids(fpr, tpr)
    within = np.arange(pieces.shape[1]) < last[:, np.newaxis]
    area = sum_classes(np.where(within, pieces, 0)) + (most - x0) * (end + y0) / 2
    area = np.where(inside == 0, 0, area)
    least = 0.5 * most**2
    value = 0.5 * (1 + (area - least) / (most - least))
    value = np.where(inside == fpr.shape[1], np.nan, value)
    is_flat = (fpr.sum(axis=1) == 0) | (tpr.sum(axis=1) == 0)
    return np.where(is_flat, sum_classes(pieces), value)[:, np.newaxis]


def average_precision(bins: Bins) -> Numbers:
    """Return the precision averaged over the steps of recall, (N, K); one of nothing is 0."""
    precision = safe_divide(bins.tp, bins.tp + bins.fp)
    recall = safe_divide(bins.tp, bins.tp + bins.fn)
    after = np.concatenate([recall[..., 1:], np.zeros_like(recall[..., :1])], axis=-1)
    return 0 - sum_classes((after - recall) * precision)


def averaged(each: Numbers, bins: Bins, average: str) -> Numbers:
    """Average values per class or label (N, K) to (N,), by `macro` or by support (`weighted`)."""
    if average == "macro":
        mean: Numbers = sum_classes(each) / each.dtype.type(each.shape[1])
        return mean
    weights = bins.support()
    return sum_classes(each * safe_divide(weights, weights.sum(axis=1, keepdims=True)))


def read_max_fpr(params: Parameters) -> float | None:
    """Return the false positive rate up to which an area counts; None for all of it.

    Raises:
        StateError: it is not a number above 0 and up to 1.
    """
    value = params.get("max_fpr")
    if value is None or value == 1:
        return None
    if not isinstance(value, float) or not 0 < value < 1:
        raise StateError("max_fpr: expected a number above 0, up to 1")
    return value


def _rates(bins: Bins) -> tuple[Numbers, Numbers]:
    """Return false and true positive rates by falling threshold, each (N, K, T)."""
    tpr = safe_divide(bins.tp, bins.tp + bins.fn)[..., ::-1]
    fpr = safe_divide(bins.fp, bins.fp + bins.tn)[..., ::-1]
    return fpr, tpr


def _trapezoids(x: Numbers, y: Numbers) -> Numbers:
    """Return the area between each two neighbours of the last axis."""
    pieces: Numbers = np.diff(x, axis=-1) * (y[..., 1:] + y[..., :-1]) / 2
    return pieces


def _at(values: Numbers, places: Numbers) -> Numbers:
    found: Numbers = np.take_along_axis(values, places[:, np.newaxis], axis=1)[:, 0]
    return found
