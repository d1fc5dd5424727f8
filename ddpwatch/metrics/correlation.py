"""How do predictions and targets vary together, on each rank and over all: Pearson, concordance?

Source: pearson.py and concordance.py in torchmetrics. Ranks keep means and central moments, which
cannot be added; the ranks' own code merges them one after the other, and so does `merge`: another
order would round differently.
"""

from __future__ import annotations

import numpy as np

from ddpwatch.errors import StateError
from ddpwatch.metrics.averages import as_float
from ddpwatch.metrics.states import Numbers, Stacked
from ddpwatch.metrics.sums import Sums

NAMES = (
    "mean_x", "mean_y", "max_abs_dev_x", "max_abs_dev_y", "var_x", "var_y", "corr_xy", "n_total"
)  # fmt: skip
_NO_SAMPLES = 1e-10
"""What torchmetrics divides by where two states are both empty."""


def merge(stacked: Stacked) -> dict[str, Numbers]:
    """Return the states over all N ranks, each (1, ...).

    Raises:
        StateError: a state is missing (torchmetrics before 1.7 kept others), or misshapen.
    """
    parts = _moments(stacked)
    merged = [part[:1] for part in parts]
    for rank in range(1, len(parts[0])):
        merged = _join(merged, [part[rank : rank + 1] for part in parts])
    shapes = (stacked[name].shape[1:] for name in NAMES)
    named = zip(NAMES, merged, shapes, strict=True)
    return {name: part.reshape(1, *shape) for name, part, shape in named}


def pearson(stacked: Stacked) -> Numbers:
    """Return the correlation of each output, (N, M); not-a-number where one side hardly varies."""
    _, _, most_x, most_y, spread_x, spread_y, both, count = _moments(stacked)
    below = count - 1
    var_x = spread_x / below * most_x ** np.float32(-2)
    var_y = spread_y / below * most_y ** np.float32(-2)
    covariance = both / below / (most_x * most_y)
    least = np.sqrt(np.finfo(var_x.dtype).eps)
    varies = (var_x >= least) & (var_y >= least)
    varies &= np.isfinite(var_x) & np.isfinite(var_y) & np.isfinite(covariance)
    value = np.clip(covariance / np.sqrt(var_x * var_y), -1, 1)
    return np.where(varies, value, np.asarray(np.nan, dtype=value.dtype))


def concordance(stacked: Stacked) -> Numbers:
    """Return Lin's concordance of each output, (N, M)."""
    mean_x, mean_y, _, _, spread_x, spread_y, _, count = _moments(stacked)
    var_x, var_y = spread_x / (count - 1), spread_y / (count - 1)
    above = 2 * pearson(stacked) * np.sqrt(var_x) * np.sqrt(var_y)
    value: Numbers = above / (var_x + var_y + (mean_x - mean_y) ** 2)
    return value


def counted(stacked: Stacked) -> Numbers:
    """Return how many samples each state counted, (N,)."""
    counts: Numbers = _moments(stacked)[-1][:, 0]
    return counts


def _moments(stacked: Stacked) -> tuple[Numbers, ...]:
    if "n_total" in stacked and "max_abs_dev_x" not in stacked:
        raise StateError("this torchmetrics keeps no max_abs_dev_x: 1.7 or newer would be known")
    if set(stacked) != set(NAMES):
        raise StateError(f"expected the states {', '.join(NAMES)}")
    parts = Sums(stacked, {}).read(*NAMES)
    if len({part.shape for part in parts}) > 1:
        raise StateError(f"expected states of one shape, got {[part.shape for part in parts]}")
    return parts


def _join(one: list[Numbers], two: list[Numbers]) -> list[Numbers]:
    """Merge two ranks' moments."""
    mean_x1, mean_y1, most_x1, most_y1, var_x1, var_y1, both1, n1 = one
    mean_x2, mean_y2, most_x2, most_y2, var_x2, var_y2, both2, n2 = two
    count = np.where((n1 != 0) | (n2 != 0), n1 + n2, n1.dtype.type(_NO_SAMPLES))
    mean_x, mean_y = (n1 * mean_x1 + n2 * mean_x2) / count, (n1 * mean_y1 + n2 * mean_y2) / count
    shift, apart_x, apart_y = n1 * n2 / count, mean_x2 - mean_x1, mean_y2 - mean_y1
    return [
        mean_x,
        mean_y,
        np.maximum(most_x1, most_x2),
        np.maximum(most_y1, most_y2),
        var_x1 + var_x2 + shift * apart_x**2,
        var_y1 + var_y2 + shift * apart_y**2,
        both1 + both2 + shift * apart_x * apart_y,
        as_float(count),
    ]
