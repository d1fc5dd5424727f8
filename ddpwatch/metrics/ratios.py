"""What are the scores that are quotients of counts, and how does each one average?

Source: the `_reduce` functions in torchmetrics/functional/classification, one per score. A micro
average divides the counts summed over classes; a macro or weighted one averages the quotients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ddpwatch.metrics.averages import as_float, averaged, safe_divide, sum_classes, weight_top_k
from ddpwatch.metrics.counts import Counts
from ddpwatch.metrics.parameters import Settings
from ddpwatch.metrics.states import Numbers

Quotient: TypeAlias = tuple[Numbers, Numbers]


@dataclass(frozen=True, slots=True)
class Ratio:
    """One score: its numerator and denominator, and torchmetrics' habits with it.

    `complement` means one minus the quotient. `top_k` and `zero_division` say whether the class
    hands these arguments on to the average and to the division.
    """

    quotient: Callable[[Counts, float], Quotient]
    complement: bool = False
    top_k: bool = False
    zero_division: bool = False

    def each(self, counts: Counts, settings: Settings) -> Numbers:
        """Return the score of each class or label, (N, K)."""
        zero = settings.zero_division if self.zero_division else 0.0
        value = safe_divide(*self.quotient(counts, settings.beta), zero)
        return 1 - value if self.complement else value

    def average(self, each: Numbers, counts: Counts, settings: Settings, how: str) -> Numbers:
        """Return the score averaged over classes or labels, (N,); binary metrics have no `how`."""
        if how in ("", "micro"):
            return self.each(counts.pooled(), settings)[:, 0] if counts.labelled else each[:, 0]
        top_k = weight_top_k(settings) if self.top_k else 1
        return averaged(each, counts, how, top_k=top_k)


def _accuracy(counts: Counts, _beta: float) -> Quotient:
    if counts.task == "multiclass":
        return counts.tp, counts.tp + counts.fn
    right = counts.tp + counts.tn
    return right, right + counts.fp + counts.fn


def _fbeta(counts: Counts, beta: float) -> Quotient:
    square = beta * beta
    hits = (1 + square) * as_float(counts.tp)
    return hits, hits + square * as_float(counts.fn) + as_float(counts.fp)


def _f1(counts: Counts, _beta: float) -> Quotient:
    return _fbeta(counts, 1.0)


RATIOS: dict[str, Ratio] = {
    "accuracy": Ratio(_accuracy, top_k=True),
    "precision": Ratio(lambda c, _: (c.tp, c.tp + c.fp), top_k=True, zero_division=True),
    "recall": Ratio(lambda c, _: (c.tp, c.tp + c.fn), top_k=True, zero_division=True),
    "f1": Ratio(_f1, zero_division=True),
    "fbeta": Ratio(_fbeta, zero_division=True),
    "specificity": Ratio(lambda c, _: (c.tn, c.tn + c.fp)),
    "hamming_distance": Ratio(_accuracy, complement=True),
    "npv": Ratio(lambda c, _: (c.tn, c.tn + c.fn), top_k=True),
}


@dataclass(frozen=True, slots=True)
class Jaccard:
    """Intersection over union, which averages in its own way.

    `ignored` is a class that its micro and macro averages leave out. An average over no class at
    all is not-a-number.
    """

    ignored: int | None = None

    def each(self, counts: Counts, settings: Settings) -> Numbers:
        """Return the index of each class or label, (N, K)."""
        zero = settings.zero_division
        if counts.task == "binary" and not settings.rules.safe_binary_jaccard:
            zero = np.nan
        return safe_divide(counts.tp, _union(counts), zero)

    def average(self, each: Numbers, counts: Counts, settings: Settings, how: str) -> Numbers:
        """Return the index averaged over classes or labels, (N,)."""
        if how == "":
            return each[:, 0]
        if how == "micro":
            hits = counts.tp.sum(axis=1)
            return safe_divide(hits, self._kept(counts), settings.zero_division)
        weights = as_float(self._weights(counts, how))
        return sum_classes(weights * each / weights.sum(axis=1, keepdims=True))

    def _kept(self, counts: Counts) -> Numbers:
        union = _union(counts)
        whole: Numbers = union.sum(axis=1)
        return whole if self.ignored is None else whole - union[:, self.ignored]

    def _weights(self, counts: Counts, how: str) -> Numbers:
        if how == "weighted":
            return counts.tp + counts.fn
        weights = np.ones(counts.tp.shape, dtype=np.float32)
        if self.ignored is not None:
            weights[:, self.ignored] = 0
        if counts.task == "multiclass":
            weights[_union(counts) == 0] = 0
        return weights


def jaccard(counts: Counts, ignore_index: int | None) -> Jaccard:
    """Return the index; `ignore_index` acts only in a multiclass metric, and if it is a class."""
    if counts.task != "multiclass" or ignore_index is None:
        return Jaccard()
    return Jaccard(ignore_index if 0 <= ignore_index < counts.tp.shape[1] else None)


def _union(counts: Counts) -> Numbers:
    return counts.tp + counts.fp + counts.fn
