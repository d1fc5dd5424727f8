"""How does a rank declare a metric, and what do its states look like, without torch?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ddpwatch.metrics.values import Evaluation, Score
from ddpwatch.wire.messages import StateSpec, TrackedMetric

NEWEST = {"torchmetrics": "1.9.0"}
COUNTS = ("tp", "fp", "tn", "fn")


def metric(
    base: str,
    states: tuple[str, ...] = COUNTS,
    labels: tuple[str, ...] = (),
    reduction: Any = "sum",
    **params: Any,
) -> TrackedMetric:
    """Declare a metric whose states are all tensors of one reduction."""
    specs = tuple(StateSpec(name=name, reduction=reduction, dtype="int64") for name in states)
    return TrackedMetric(
        path="val.m", cls=base, base=base, params=params, labels=labels, states=specs
    )


def confusion(base: str, **params: Any) -> TrackedMetric:
    """Declare a metric that keeps a confusion matrix."""
    return metric(base, ("confmat",), **params)


def counts(tp: Any, fp: Any, tn: Any, fn: Any) -> list[np.ndarray]:
    """Return the states of one rank."""
    return [np.atleast_1d(np.asarray(part, dtype=np.int64)) for part in (tp, fp, tn, fn)]


def score(evaluation: Evaluation, name: str, *, per_class: bool = False) -> Score:
    """Return one score; averaged or per class."""
    assert evaluation.scores, evaluation.reason
    found = [s for s in evaluation.scores if s.name == name and (s.labels is not None) == per_class]
    assert len(found) == 1, f"{name}: {[(s.name, s.labels) for s in evaluation.scores]}"
    return found[0]


# Data A of 5 + 4 samples in 3 classes: every class is wrong somewhere, and ranks disagree.
DATA_A = [
    counts([1, 2, 1], [1, 0, 0], [3, 2, 4], [0, 1, 0]),
    counts([1, 0, 1], [0, 1, 1], [2, 2, 2], [1, 1, 0]),
]
# Data B: the same without the last sample of rank 0, the only one of class 2 there.
DATA_B = [counts([1, 2, 0], [1, 0, 0], [2, 1, 4], [0, 1, 0]), DATA_A[1]]
