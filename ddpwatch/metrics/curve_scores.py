"""Which scores does a binned curve yield: its own area, and where its F1 is best?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ddpwatch.metrics import curves
from ddpwatch.metrics.counts import names_of
from ddpwatch.metrics.curves import Bins
from ddpwatch.metrics.known import Known
from ddpwatch.metrics.states import Numbers, Stacked
from ddpwatch.metrics.thresholds import best
from ddpwatch.metrics.values import Evaluation, Score
from ddpwatch.wire.messages import TrackedMetric

NO_THRESHOLDS = "the ranks did not say what the thresholds are: best_threshold is unknown"


def curve_scores(known: Known, metric: TrackedMetric, stacked: Stacked) -> Evaluation:
    """Return all scores of N states.

    Raises:
        StateError: states or parameters are not those of the class.
    """
    task = known.task or "binary"
    average = curves.read_average(known.quantity, task, metric.params)
    is_curve = known.quantity in ("precision_recall_curve", "roc")
    is_flat = task == "multiclass" and is_curve and average == "micro"
    bins = curves.read_bins(stacked, task, metric.params, is_flat=is_flat)
    names = names_of(metric.labels, bins.tp.shape[1]) if bins.labelled else None
    own = () if is_curve else tuple(_areas(known.quantity, metric, bins, average, names))
    points = tuple(_best(bins, "micro" if is_flat else "", names))
    samples = curves.samples_of(bins, task, metric.params)
    return Evaluation(own + points, samples, "" if bins.thresholds is not None else NO_THRESHOLDS)


def _areas(
    quantity: str, metric: TrackedMetric, bins: Bins, average: str, names: tuple[str, ...] | None
) -> Iterator[Score]:
    """Yield the averaged area, then that of each class or label where they are told apart."""
    each = _area(quantity, metric, bins)
    if names is None:
        yield _score(quantity, average, each[:, 0], own=True)
        return
    if average == "micro":
        pooled = _area(quantity, metric, bins.pooled())
        yield _score(quantity, average, pooled[:, 0], own=True)
    else:
        how = "macro" if average == "none" else average
        yield _score(quantity, how, curves.averaged(each, bins, how), own=average != "none")
    yield _score(quantity, "none", each, names, own=average == "none")


def _area(quantity: str, metric: TrackedMetric, bins: Bins) -> Numbers:
    """Return the area of each class or label, (N, K)."""
    if quantity == "average_precision":
        return curves.average_precision(bins)
    most = None if bins.labelled else curves.read_max_fpr(metric.params)
    return curves.auroc(bins) if most is None else curves.partial_auroc(bins, most)


def _best(bins: Bins, average: str, names: tuple[str, ...] | None) -> Iterator[Score]:
    """Yield the best F1 with its precision, recall and threshold, of each label and averaged.

    A mean of thresholds would be none that anybody could use, so there is none.
    """
    point = best(bins)
    shares = {"best_f1": point.f1, "best_precision": point.precision, "best_recall": point.recall}
    for name, each in shares.items():
        if names is None:
            yield _score(name, average, each[:, 0])
        else:
            yield _score(name, "macro", curves.averaged(each, bins, "macro"))
            yield _score(name, "none", each, names)
    if point.threshold is None:
        return
    if names is None:
        yield _score("best_threshold", average, point.threshold[:, 0])
    else:
        yield _score("best_threshold", "none", point.threshold, names)


def _score(
    name: str,
    average: str,
    values: Numbers,
    labels: tuple[str, ...] | None = None,
    *,
    own: bool = False,
) -> Score:
    return Score(name, average, own, values.astype(np.float64), labels)
