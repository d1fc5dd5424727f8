"""What are the cells of a confusion matrix, and what is each one called?"""

from __future__ import annotations

import math

import numpy as np

from ddpwatch.metrics.averages import as_float
from ddpwatch.metrics.counts import names_of
from ddpwatch.metrics.parameters import Task, word
from ddpwatch.metrics.states import Numbers
from ddpwatch.metrics.values import Score
from ddpwatch.wire.messages import TrackedMetric

NORMALIZE = ("none", "true", "pred", "all")
MOST_CELLS = 20 * 20

_AXES: dict[str, tuple[int, ...]] = {"true": (-1,), "pred": (-2,), "all": (-2, -1)}


def cell_scores(
    metric: TrackedMetric, task: Task, matrix: Numbers
) -> tuple[tuple[Score, ...], str]:
    """Return one column per cell, or none and the reason where there are too many to read.

    Raises:
        StateError: `normalize` is not one of `NORMALIZE`.
    """
    normalize = word(metric.params, "normalize", NORMALIZE)
    count = math.prod(matrix.shape[1:])
    if count > MOST_CELLS:
        return (), f"{count} cells of the confusion matrix are left out, at most {MOST_CELLS} shown"
    values = cells(matrix, normalize).astype(np.float64)
    names = cell_names(task, matrix, metric.labels)
    return (Score("confusion", "", True, values, names),), ""  # noqa: FBT003 - `own`


def cells(matrix: Numbers, normalize: str) -> Numbers:
    """Return N matrices [target, pred] as rows of cells, row-major; an empty part stays 0.

    Normalised over the targets' rows (`true`), the predictions' columns (`pred`) or everything.
    Source: `_confusion_matrix_reduce` of torchmetrics.
    """
    if normalize in _AXES:
        single = as_float(matrix)
        share = single / single.sum(axis=_AXES[normalize], keepdims=True)
        matrix = np.where(np.isnan(share), 0, share)
    return matrix.reshape(len(matrix), -1)


def cell_names(task: Task, matrix: Numbers, labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return `target→pred` for every cell, led by the label's name in multilabel metrics."""
    names = _filled(labels, matrix.shape[1])
    if task == "multilabel":
        return tuple(f"{name}: {t}→{p}" for name in names for t in (0, 1) for p in (0, 1))
    return tuple(f"{target}→{pred}" for target in names for pred in names)


def _filled(labels: tuple[str, ...], width: int) -> tuple[str, ...]:
    """Return the names, each replaced by its index where it is empty."""
    return tuple(name or str(index) for index, name in enumerate(names_of(labels, width)))
