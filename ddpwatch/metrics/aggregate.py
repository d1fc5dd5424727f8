"""What do the aggregators (mean, sum, smallest, largest) and ExactMatch say?"""

from __future__ import annotations

from ddpwatch.metrics.averages import as_float, safe_divide
from ddpwatch.metrics.reduce import round_like
from ddpwatch.metrics.states import Numbers, Stacked, take, take_counts
from ddpwatch.wire.messages import TrackedMetric


def mean(metric: TrackedMetric, stacked: Stacked) -> Numbers:
    """Return the weighted mean, (N,); not-a-number without any weight."""
    value, weight = (as_float(take(stacked, name, ())) for name in ("mean_value", "weight"))
    dtypes = {spec.name: spec.dtype for spec in metric.states}
    return round_like(dtypes.get("mean_value", ""), value / weight)


def stored(stacked: Stacked, name: str) -> Numbers:
    """Return a state that is the value itself, (N,)."""
    return take(stacked, name, ())


def exact_match(stacked: Stacked) -> tuple[Numbers, Numbers]:
    """Return the share of samples that are right in every element, (N,), and how many samples."""
    correct, total = (take_counts(stacked, name, (1,))[:, 0] for name in ("correct", "total"))
    return safe_divide(correct, total), total
