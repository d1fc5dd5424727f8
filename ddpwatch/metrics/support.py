"""What do StatScores metrics report: the counts themselves, averaged over classes or labels?"""

from __future__ import annotations

from dataclasses import dataclass

from ddpwatch.metrics.averages import as_float, sum_classes
from ddpwatch.metrics.counts import Counts
from ddpwatch.metrics.parameters import Settings
from ddpwatch.metrics.states import Numbers

COLUMNS = ("tp", "fp", "tn", "fn", "support")


@dataclass(frozen=True, slots=True)
class Column:
    """One kind of count, by its name in `COLUMNS`; `support` is tp + fn."""

    name: str

    def each(self, counts: Counts, _: Settings) -> Numbers:
        """Return the count of each class or label, (N, K)."""
        if self.name == "support":
            return counts.tp + counts.fn
        values: Numbers = getattr(counts, self.name)
        return values

    def average(self, each: Numbers, counts: Counts, _: Settings, how: str) -> Numbers:
        """Return the count averaged over classes or labels, (N,).

        Micro is the sum, macro the plain mean with absent classes in it, weighted the mean by
        support (not-a-number without any): `_multiclass_stat_scores_compute` of torchmetrics.
        """
        if how in ("", "micro"):
            pooled: Numbers = each.sum(axis=1)
            return pooled
        single = as_float(each)
        if how == "macro":
            mean: Numbers = sum_classes(single) / single.shape[1]
            return mean
        weights = as_float(counts.tp + counts.fn)
        return sum_classes(single * (weights / weights.sum(axis=1, keepdims=True)))
