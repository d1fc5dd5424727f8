"""How does each family of metric classes turn its states into scores?"""

from __future__ import annotations

from ddpwatch.metrics import aggregate, agreement
from ddpwatch.metrics.confusion import cell_scores
from ddpwatch.metrics.counts import (
    as_samples,
    from_confusion,
    from_stat_scores,
    samples_of,
    take_confusion,
)
from ddpwatch.metrics.known import Known
from ddpwatch.metrics.parameters import Settings, read_settings, whole, word
from ddpwatch.metrics.ratios import RATIOS, jaccard
from ddpwatch.metrics.rules import Rules
from ddpwatch.metrics.scores import Quantity, count_scores, single
from ddpwatch.metrics.states import Stacked
from ddpwatch.metrics.support import COLUMNS, Column
from ddpwatch.metrics.values import Evaluation, Score
from ddpwatch.wire.messages import TrackedMetric

_FROM_CONFUSION = frozenset({"confusion", "jaccard", "matthews_corrcoef", "cohen_kappa"})


def evaluate_known(
    known: Known, metric: TrackedMetric, stacked: Stacked, rules: Rules
) -> Evaluation:
    """Return all scores of N states.

    Raises:
        StateError: states or parameters are not those of the class.
    """
    if known.task is None:
        return _aggregator(known.quantity, metric, stacked)
    if known.quantity == "exact_match":
        value, total = aggregate.exact_match(stacked)
        return Evaluation((single("exact_match", value),), as_samples(total))
    settings = read_settings(known.task, metric.params, rules)
    if known.quantity in _FROM_CONFUSION:
        return _confusion(known.quantity, metric, stacked, settings)
    return _stat_scores(known.quantity, metric, stacked, settings)


def _aggregator(quantity: str, metric: TrackedMetric, stacked: Stacked) -> Evaluation:
    if quantity == "mean":
        value = aggregate.mean(metric, stacked)
    else:
        value = aggregate.stored(stacked, f"{quantity}_value")
    return Evaluation((single(quantity, value),))


def _stat_scores(
    quantity: str, metric: TrackedMetric, stacked: Stacked, settings: Settings
) -> Evaluation:
    counts = from_stat_scores(stacked, metric.params, settings)
    own: dict[str, Quantity]
    if quantity == "stat_scores":
        own = {name: Column(name) for name in COLUMNS}
    else:
        own = {quantity: RATIOS[quantity]}
    return Evaluation(count_scores(own, counts, settings, metric.labels), samples_of(counts))


def _confusion(
    quantity: str, metric: TrackedMetric, stacked: Stacked, settings: Settings
) -> Evaluation:
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
