"""How are quotients of counts formed, and how do values per class become one?

Source: `_safe_divide` and `_adjust_weights_safe_divide` in torchmetrics/utilities/compute.py. The
arithmetic is single precision, as there, so that both round alike.
"""

from __future__ import annotations

import numpy as np

from ddpwatch.metrics.counts import Counts
from ddpwatch.metrics.parameters import Settings
from ddpwatch.metrics.states import Numbers


def as_float(values: Numbers) -> Numbers:
    """Return floats as they are, all else as float32 (torch's `.float()`)."""
    return values if values.dtype.kind == "f" else values.astype(np.float32)


def safe_divide(numerator: Numbers, denominator: Numbers, zero_division: float = 0.0) -> Numbers:
    """Divide; where the denominator is 0 the result is `zero_division`."""
    below = as_float(denominator)
    quotient = as_float(numerator) / below
    return np.where(below != 0, quotient, np.asarray(zero_division, dtype=quotient.dtype))


def averaged(each: Numbers, counts: Counts, average: str, *, top_k: int = 1) -> Numbers:
    """Average values per class (N, K) to (N,), by `macro` or `weighted`.

    Macro leaves out classes of a multiclass metric that occur neither in targets nor in predictions
    (with `top_k` above 1: not in targets), but never a label of a multilabel metric.
    """
    if average == "weighted":
        weights = counts.tp + counts.fn
    else:
        weights = np.ones_like(each)
        if counts.task != "multilabel":
            seen = counts.tp + counts.fn + (counts.fp if top_k == 1 else 0)
            weights[seen == 0] = 0
    total = weights.sum(axis=1, keepdims=True)
    shares = safe_divide(as_float(weights) * each, total)
    return sum_classes(shares)


def sum_classes(values: Numbers) -> Numbers:
    """Add up floats (N, ..., K) over the last axis to (N, ...), rounded once."""
    summed: Numbers = values.sum(axis=-1, dtype=np.float64).astype(values.dtype)
    return summed


def weight_top_k(settings: Settings) -> int:
    """Return the `top_k` that reaches the weights of a macro average."""
    return settings.top_k if settings.rules.top_k_weights else 1
