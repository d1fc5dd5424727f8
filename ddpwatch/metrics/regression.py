"""What are the scores that are formed of a few sums: regression errors, hinge and ranking losses?

Source: the `_compute` functions in torchmetrics/functional/regression, hinge.py and ranking.py.
Each operation has the precision of the states and the order that it has there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ddpwatch.metrics import correlation
from ddpwatch.metrics.averages import safe_divide
from ddpwatch.metrics.counts import as_samples, names_of
from ddpwatch.metrics.parameters import flag, real, word
from ddpwatch.metrics.reduce import round_like
from ddpwatch.metrics.scores import single
from ddpwatch.metrics.states import Numbers, Stacked
from ddpwatch.metrics.sums import Sums
from ddpwatch.metrics.values import Evaluation, Score
from ddpwatch.metrics.variance import explained_variance, r2, relative_squared_error
from ddpwatch.wire.messages import TrackedMetric

_SMALLEST_SCALE = 1.17e-06

_QUOTIENTS = {
    "mse": ("sum_squared_error", "total"),
    "mae": ("sum_abs_error", "total"),
    "mape": ("sum_abs_per_error", "total"),
    "smape": ("sum_abs_per_error", "total"),
    "msle": ("sum_squared_log_error", "total"),
    "log_cosh": ("sum_log_cosh_error", "total"),
    "tweedie_deviance": ("sum_deviance_score", "num_observations"),
    "crps": ("score", "total"),
    "hinge_loss": ("measures", "total"),
    "coverage_error": ("measure", "total"),
    "ranking_average_precision": ("measure", "total"),
    "ranking_loss": ("measure", "total"),
}
_ROOTS = {"mse": "rmse", "rse": "rrse"}
_COUNTS = ("total", "num_observations", "num_obs", "n_obs")
_UNCOUNTED = frozenset({"ranking_loss"})
"""`RankingLoss` counts a batch without anything to rank as one sample."""


def sum_scores(quantity: str, metric: TrackedMetric, sums: Sums) -> Evaluation:
    """Return the score of N states: one value, or one for each output.

    Raises:
        StateError: states or parameters are not those of the class.
    """
    values = _round(metric, _value(quantity, sums))
    is_root = quantity in _ROOTS and not flag(sums.params, "squared", default=True)
    name = _ROOTS[quantity] if is_root else quantity
    samples = None if quantity in _UNCOUNTED else _samples(sums)
    return Evaluation((_score(name, metric, values),), samples)


def correlation_scores(quantity: str, metric: TrackedMetric, stacked: Stacked) -> Evaluation:
    """Return the correlation of N states: one value, or one for each output.

    Raises:
        StateError: states are not those of the class.
    """
    formula = correlation.pearson if quantity == "pearson" else correlation.concordance
    values = _round(metric, formula(stacked))
    samples = as_samples(correlation.counted(stacked))
    return Evaluation((_score(quantity, metric, values),), samples)


def _score(name: str, metric: TrackedMetric, values: Numbers) -> Score:
    if values.shape[1] == 1:
        return single(name, values[:, 0])
    labels = names_of(metric.labels, values.shape[1])
    return Score(name, "none", True, values.astype(np.float64), labels)  # noqa: FBT003 - `own`


def _value(quantity: str, sums: Sums) -> Numbers:
    """Return the score, (N, 1), or (N, M) of M outputs."""
    if quantity in _FORMULAS:
        return _FORMULAS[quantity](sums)
    above, below = sums.read(*_QUOTIENTS[quantity])
    value = above / below
    is_root = quantity in _ROOTS and not flag(sums.params, "squared", default=True)
    return np.sqrt(value) if is_root else value


def _weighted_percentage(sums: Sums) -> Numbers:
    error, scale = sums.read("sum_abs_error", "sum_scale")
    share: Numbers = error / np.maximum(scale, scale.dtype.type(_SMALLEST_SCALE))
    return share


def _minkowski(sums: Sums) -> Numbers:
    (total,) = sums.read("minkowski_dist_sum")
    power: Numbers = total ** (1.0 / real(sums.params, "p", 1.0))
    return power


def _divergence(sums: Sums) -> Numbers:
    measures, total = sums.read("measures", "total")
    is_mean = word(sums.params, "reduction", ("mean", "sum"), default="mean") == "mean"
    return measures / total if is_mean else measures


def _critical_success(sums: Sums) -> Numbers:
    hits, misses, false_alarms = sums.read("hits", "misses", "false_alarms")
    return safe_divide(hits, hits + misses + false_alarms)


_FORMULAS: dict[str, Callable[[Sums], Numbers]] = {
    "wmape": _weighted_percentage,
    "minkowski": _minkowski,
    "kl_divergence": _divergence,
    "js_divergence": _divergence,
    "csi": _critical_success,
    "r2": r2,
    "explained_variance": explained_variance,
    "rse": relative_squared_error,
}


def _samples(sums: Sums) -> NDArray[np.int64] | None:
    """Return how many samples (or elements) the states counted, (N,), where they count them."""
    name = sums.first_of(*_COUNTS)
    if name not in sums.stacked:
        return None
    return as_samples(sums.stacked[name].reshape(len(sums.stacked[name]), -1)[:, 0])


def _round(metric: TrackedMetric, values: Numbers) -> Numbers:
    """Round to bfloat16 where that is what the ranks add up in."""
    kinds = {spec.dtype for spec in metric.states if "float" in spec.dtype}
    return round_like(kinds.pop(), values) if len(kinds) == 1 else values
