"""At which threshold of a binned curve is F1 best, and what are precision and recall there?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ddpwatch.metrics.averages import safe_divide
from ddpwatch.metrics.curves import Bins
from ddpwatch.metrics.states import Numbers


@dataclass(frozen=True, slots=True)
class Best:
    """What each of K classes or labels has where its F1 is highest, each (N, K).

    Where no threshold has a hit, F1, precision and recall are 0 at all of them, and `threshold` is
    not a number. It is None where the ranks did not say what their thresholds are.
    """

    f1: Numbers
    precision: Numbers
    recall: Numbers
    threshold: Numbers | None


def best(bins: Bins) -> Best:
    """Return the best point of each curve; the first one, the lowest threshold, of equal ones.

    F1 is formed of the curve's precision and recall, in single precision, as anyone does who has
    the curve from torchmetrics: what is equal there, is equal here.
    """
    precision = safe_divide(bins.tp, bins.tp + bins.fp, np.nan)
    recall = safe_divide(bins.tp, bins.tp + bins.fn, np.nan)
    # Where one of them is 0 / 0 there is no hit, and what has no hit cannot be best.
    f1 = np.nan_to_num(2 * precision * recall / (precision + recall), nan=0.0)
    place = f1.argmax(axis=-1)[..., np.newaxis]
    found = np.take_along_axis(f1, place, axis=-1)[..., 0] > 0
    threshold = None
    if bins.thresholds is not None:
        lined_up = np.broadcast_to(bins.thresholds, f1.shape)
        threshold = _where(found, lined_up, place, np.nan)
    return Best(
        f1=_where(found, f1, place, 0.0),
        precision=_where(found, precision, place, 0.0),
        recall=_where(found, recall, place, 0.0),
        threshold=threshold,
    )


def _where(found: Numbers, values: Numbers, place: Numbers, otherwise: float) -> Numbers:
    there = np.take_along_axis(values, place, axis=-1)[..., 0]
    return np.where(found, there, np.asarray(otherwise, dtype=values.dtype))
