"""Which scores do counts yield: own and derived ones, averaged and per class or label?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from ddpwatch.metrics.counts import Counts, names_of
from ddpwatch.metrics.parameters import Settings
from ddpwatch.metrics.ratios import RATIOS
from ddpwatch.metrics.states import Numbers
from ddpwatch.metrics.values import Score

_DERIVED = ("f1", "precision", "recall")


class Quantity(Protocol):
    """Something that counts say, of each class or label and averaged over them."""

    def each(self, counts: Counts, settings: Settings, /) -> Numbers:
        """Return (N, K)."""
        ...

    def average(self, each: Numbers, counts: Counts, settings: Settings, how: str, /) -> Numbers:
        """Average `each` of the same counts to (N,); `how` is empty for binary metrics."""
        ...


def count_scores(
    own: Mapping[str, Quantity], counts: Counts, settings: Settings, labels: tuple[str, ...]
) -> tuple[Score, ...]:
    """Return the metric's own quantities by name, then F1, precision and recall where not own.

    `own` marks what the metric's `compute()` returns: the averaged value, or with the average
    `none` the values per class, whose macro average is then an extra.
    """
    quantities: dict[str, Quantity] = dict(own)
    for name in _DERIVED:
        quantities.setdefault(name, RATIOS[name])
    return tuple(
        score
        for name, quantity in quantities.items()
        for score in _both(name, quantity, counts, settings, labels, is_own=name in own)
    )


def single(name: str, values: Numbers) -> Score:
    """Return an own score without average or labels."""
    return Score(name, "", True, values.astype(np.float64))  # noqa: FBT003 - `own`


def _both(
    name: str,
    quantity: Quantity,
    counts: Counts,
    settings: Settings,
    labels: tuple[str, ...],
    *,
    is_own: bool,
) -> list[Score]:
    """Return the averaged score, and where classes or labels are told apart their values."""
    per_class = settings.average == "none"
    how = "macro" if per_class else settings.average
    each = quantity.each(counts, settings)
    values = quantity.average(each, counts, settings, how).astype(np.float64)
    scores = [Score(name, how, is_own and not per_class, values)]
    if counts.labelled:
        names = names_of(labels, each.shape[1])
        columns = each.astype(np.float64)
        scores.append(Score(name, "none", is_own and per_class, columns, names))
    return scores
