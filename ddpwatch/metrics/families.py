"""How does each family of metric classes turn its states into scores?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ddpwatch.metrics import aggregate, agreement
from ddpwatch.metrics.confusion import cell_scores
from ddpwatch.metrics.counts import (
    as_samples,
    from_confusion,
    from_stat_scores,
    samples_of,
    take_confusion,
)
from ddpwatch.metrics.curve_scores import curve_scores
from ddpwatch.metrics.known import Family, Known
from ddpwatch.metrics.parameters import Settings, read_settings, whole, word
from ddpwatch.metrics.ratios import RATIOS, jaccard
from ddpwatch.metrics.regression import correlation_scores, sum_scores
from ddpwatch.metrics.rules import Rules
from ddpwatch.metrics.scores import Quantity, count_scores, single
from ddpwatch.metrics.states import Stacked
from ddpwatch.metrics.sums import Sums
from ddpwatch.metrics.support import COLUMNS, Column
from ddpwatch.metrics.values import Evaluation, Score
from ddpwatch.wire.messages import TrackedMetric

_Evaluate: TypeAlias = Callable[[Known, TrackedMetric, Stacked, Rules], Evaluation]


def evaluate_known(
    known: Known, metric: TrackedMetric, stacked: Stacked, rules: Rules
) -> Evaluation:
    """Return all scores of N states.

    Raises:
        StateError: states or parameters are not those of the class.
    """
    return _FAMILIES[known.family](known, metric, stacked, rules)


def _aggregator(known: Known, metric: TrackedMetric, stacked: Stacked, _: Rules) -> Evaluation:
    if known.quantity == "mean":
        value = aggregate.mean(metric, stacked)
    else:
        value = aggregate.stored(stacked, f"{known.quantity}_value")
    return Evaluation((single(known.quantity, value),))


def _exact_match(_: Known, __: TrackedMetric, stacked: Stacked, ___: Rules) -> Evaluation:
    value, total = aggregate.exact_match(stacked)
    return Evaluation((single("exact_match", value),), as_samples(total))


def _curve(known: Known, metric: TrackedMetric, stacked: Stacked, _: Rules) -> Evaluation:
    return curve_scores(known, metric, stacked)


def _sums(known: Known, metric: TrackedMetric, stacked: Stacked, _: Rules) -> Evaluation:
    return sum_scores(known.quantity, metric, Sums(stacked, metric.params))


def _correlation(known: Known, metric: TrackedMetric, stacked: Stacked, _: Rules) -> Evaluation:
    return correlation_scores(known.quantity, metric, stacked)


def _stat_scores(known: Known, metric: TrackedMetric, stacked: Stacked, rules: Rules) -> Evaluation:
    settings = _settings(known, metric, rules)
    counts = from_stat_scores(stacked, metric.params, settings)
    own: dict[str, Quantity]
    if known.quantity == "stat_scores":
        own = {name: Column(name) for name in COLUMNS}
    else:
        own = {known.quantity: RATIOS[known.quantity]}
    return Evaluation(count_scores(own, counts, settings, metric.labels), samples_of(counts))


def _confusion(known: Known, metric: TrackedMetric, stacked: Stacked, rules: Rules) -> Evaluation:
    settings, quantity = _settings(known, metric, rules), known.quantity
    matrix = take_confusion(stacked, settings.task, metric.params)
    counts = from_confusion(settings.task, matrix)
    own: dict[str, Quantity] = {}
    before: tuple[Score, ...] = ()
    reason = ""
    if quantity == "jaccard":
        own["jaccard"] = jaccard(counts, whole(metric.params, "ignore_index"))
    elif quantity == "matthews_corrcoef":
        before = (single(quantity, agreement.matthews_corrcoef(matrix)),)
    elif quantity == "cohen_kappa":
        weights = word(metric.params, "weights", ("none", "linear", "quadratic"))
        before = (single(quantity, agreement.cohen_kappa(matrix, weights)),)
    else:
        before, reason = cell_scores(metric, settings.task, matrix)
    derived = count_scores(own, counts, settings, metric.labels)
    return Evaluation(before + derived, samples_of(counts), reason)


def _settings(known: Known, metric: TrackedMetric, rules: Rules) -> Settings:
    return read_settings(known.task or "binary", metric.params, rules)


_FAMILIES: dict[Family, _Evaluate] = {
    "counts": _stat_scores,
    "confusion": _confusion,
    "exact_match": _exact_match,
    "curve": _curve,
    "aggregate": _aggregator,
    "sums": _sums,
    "correlation": _correlation,
}
