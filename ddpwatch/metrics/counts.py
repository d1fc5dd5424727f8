"""Which counts (tp, fp, tn, fn) do a metric's states hold, and how many samples are that?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ddpwatch.errors import StateError
from ddpwatch.metrics.parameters import Parameters, Settings, Task, whole
from ddpwatch.metrics.states import Numbers, Stacked, take_counts


@dataclass(frozen=True, slots=True)
class Counts:
    """True and false positives and negatives of N states, each (N, K).

    K is the number of classes or labels where `labelled`, else 1 (binary, or pooled over classes).
    """

    task: Task
    labelled: bool
    tp: Numbers
    fp: Numbers
    tn: Numbers
    fn: Numbers

    def pooled(self) -> Counts:
        """Return the counts summed over classes or labels, (N, 1)."""
        summed = (part.sum(axis=1, keepdims=True) for part in (self.tp, self.fp, self.tn, self.fn))
        return Counts(self.task, False, *summed)  # noqa: FBT003 - the field is named above


def from_stat_scores(stacked: Stacked, params: Parameters, settings: Settings) -> Counts:
    """Read the states `tp`, `fp`, `tn`, `fn` of the StatScores family.

    Raises:
        StateError: the shapes are not those that task, average and number of classes promise.
    """
    labelled = not (
        settings.task == "binary"
        or (settings.task == "multiclass" and settings.average == "micro" and settings.top_k == 1)
    )
    width = width_of(settings.task, params) if labelled else 1
    parts = [take_counts(stacked, name, (width,)) for name in ("tp", "fp", "tn", "fn")]
    if len({part.shape for part in parts}) > 1:
        raise StateError(f"expected tp, fp, tn, fn of one shape, got {[p.shape for p in parts]}")
    return Counts(settings.task, labelled, *parts)


def from_confusion(task: Task, matrix: Numbers) -> Counts:
    """Read counts off confusion matrices [target, pred]: (N, C, C), multilabel (N, L, 2, 2)."""
    if task == "multiclass":
        tp = np.diagonal(matrix, axis1=1, axis2=2)
        fp, fn = matrix.sum(axis=1) - tp, matrix.sum(axis=2) - tp
        tn = matrix.sum(axis=(1, 2))[:, np.newaxis] - (tp + fp + fn)
        return Counts(task, True, tp, fp, tn, fn)  # noqa: FBT003 - the field is named above
    each = matrix if task == "multilabel" else matrix[:, np.newaxis]
    tn, fp, fn, tp = (each[..., target, pred] for target in (0, 1) for pred in (0, 1))
    return Counts(task, task == "multilabel", tp, fp, tn, fn)


def take_confusion(stacked: Stacked, task: Task, params: Parameters) -> Numbers:
    """Return the state `confmat`, checked against the number of classes or labels.

    Raises:
        StateError: it is not square, or not of the promised size.
    """
    if task == "binary":
        return take_counts(stacked, "confmat", (2, 2))
    width = width_of(task, params)
    if task == "multilabel":
        return take_counts(stacked, "confmat", (width, 2, 2))
    matrix = take_counts(stacked, "confmat", (width, width))
    if matrix.shape[1] != matrix.shape[2]:
        raise StateError(f"state confmat: expected a square matrix, got {matrix.shape[1:]}")
    return matrix


def width_of(task: Task, params: Parameters) -> int | None:
    """Return the declared number of classes or labels, or None where none is declared."""
    return whole(params, "num_labels" if task == "multilabel" else "num_classes")


def samples_of(counts: Counts) -> NDArray[np.int64]:
    """Return how many samples each state counted, (N,).

    A multiclass sample has one target class, so tp + fn counts it once. A label may ignore some
    targets, so the label that counted most stands for a multilabel state.
    """
    if counts.task == "multiclass":
        return as_samples((counts.tp + counts.fn).sum(axis=1))
    return as_samples((counts.tp + counts.fp + counts.tn + counts.fn).max(axis=1))


def as_samples(counted: Numbers) -> NDArray[np.int64]:
    """Return whole numbers, (N,); -1 where a float count is not a number or too large for one."""
    return np.where(np.abs(counted) < 2.0**62, counted, -1).astype(np.int64)


def names_of(labels: tuple[str, ...], width: int) -> tuple[str, ...]:
    """Return one name per class or label; empty ones where the declared names do not fit."""
    return labels if len(labels) == width else ("",) * width
