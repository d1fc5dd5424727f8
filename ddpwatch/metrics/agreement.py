"""How far do predictions and targets agree beyond chance? Matthews' coefficient and Cohen's kappa.

Source: `_matthews_corrcoef_reduce` and `_cohen_kappa_reduce` of torchmetrics. Both subtract nearly
equal numbers, so each operation is done in single precision and in the same order as there.
"""

from __future__ import annotations

import numpy as np

from ddpwatch.metrics.averages import as_float, sum_classes
from ddpwatch.metrics.states import Numbers

_EPS = np.finfo(np.float32).eps


def matthews_corrcoef(matrix: Numbers) -> Numbers:
    """Return the coefficient of N matrices (N, C, C), or (N, L, 2, 2) summed over labels."""
    square = matrix.sum(axis=1) if matrix.ndim == 4 else matrix
    truth, said = as_float(square.sum(axis=2)), as_float(square.sum(axis=1))
    right = as_float(np.trace(square, axis1=1, axis2=2))
    total = as_float(square.sum(axis=(1, 2)))
    numerator = right * total - _in_order(truth * said)
    spread = (total * total - _in_order(said * said)) * (total * total - _in_order(truth * truth))
    value = np.where(spread == 0, 0, numerator / np.sqrt(spread))
    return _two_by_two(square, value, spread) if square.shape[1] == 2 else value


def cohen_kappa(matrix: Numbers, weights: str) -> Numbers:
    """Return kappa of N matrices (N, C, C); not-a-number where chance alone explains everything."""
    observed = as_float(matrix)
    said, truth = observed.sum(axis=1), observed.sum(axis=2)
    total = said.sum(axis=1)[:, np.newaxis, np.newaxis]
    expected = truth[:, :, np.newaxis] * said[:, np.newaxis, :] / total
    cost = _cost(matrix.shape[1], weights)
    return 1 - _weighted(cost, observed) / _weighted(cost, expected)


def _in_order(terms: Numbers) -> Numbers:
    """Add up (N, C) from the first class to the last, as Python's `sum` does."""
    total: Numbers = np.cumsum(terms, axis=1)[:, -1]
    return total


def _two_by_two(square: Numbers, value: Numbers, spread: Numbers) -> Numbers:
    """Give 2 x 2 matrices their exact ends, and a limit where a row or a column is empty."""
    tn, fp, fn, tp = square.reshape(-1, 4).T
    right, wrong = tp + tn, fp + fn
    limit = _limit(*map(as_float, (tp, fp, tn, fn)))
    value = np.where(spread == 0, limit, value)
    value = np.where((right == 0) & (wrong != 0), -1, value)
    return np.where((right != 0) & (wrong == 0), 1, value)


def _limit(tp: Numbers, fp: Numbers, tn: Numbers, fn: Numbers) -> Numbers:
    """Return the coefficient where its denominator vanishes, by the first rule that applies.

    The last three rules serve matrices so lopsided that single precision loses the small cell.
    """
    root = np.sqrt(_EPS)
    numerator = np.select(
        [
            (fn == 0) & (tn == 0),
            (fp == 0) & (tn == 0),
            (tp == 0) & (fn == 0),
            (tp == 0) & (fp == 0),
            tp == 0,
            tn == 0,
            (fp == 0) | (fn == 0),
        ],
        [
            root * (tp - fp),
            root * (tp - fn),
            root * (tn - fp),
            root * (tn - fn),
            tn - fp * fn,
            tp - fp * fn,
            tp * tn,
        ],
        0,
    )
    below = (tp + fp + _EPS) * (tp + fn + _EPS) * (tn + fp + _EPS) * (tn + fn + _EPS)
    limit: Numbers = numerator / np.sqrt(below)
    return limit


def _cost(classes: int, weights: str) -> Numbers:
    """Return what a confusion of two classes costs: 1, their distance, or its square."""
    index = np.arange(classes, dtype=np.float32)
    distance = np.abs(index[:, np.newaxis] - index)
    power = {"linear": 1, "quadratic": 2}.get(weights, 0)
    return np.where(distance == 0, 0, distance**power)


def _weighted(cost: Numbers, matrix: Numbers) -> Numbers:
    return sum_classes((cost * matrix).reshape(len(matrix), -1))
