"""Are Matthews' coefficient and Cohen's kappa right, at their ends too?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.metrics.agreement import cohen_kappa, matthews_corrcoef


def binary(tn, fp, fn, tp):
    return np.array([[[tn, fp], [fn, tp]]])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("matrix", "value"),
    [
        (binary(1, 2, 3, 4), (4 * 1 - 2 * 3) / np.sqrt(6 * 7 * 3 * 4)),
        (binary(0, 0, 0, 5), 1.0),
        (binary(3, 0, 0, 5), 1.0),
        (binary(0, 2, 3, 0), -1.0),
        (binary(0, 0, 0, 0), 0.0),
    ],
)
def test_matthews_of_two_classes(matrix, value):
    assert np.allclose(matthews_corrcoef(matrix), value)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "matrix", [binary(0, 3, 0, 5), binary(0, 0, 3, 5), binary(5, 3, 0, 0), binary(5, 0, 3, 0)]
)
def test_an_empty_row_or_column_gives_the_small_limit(matrix):
    """The difference of the two cells, times the root of eps, over the product with eps added."""
    eps = float(np.finfo(np.float32).eps)
    expected = np.sqrt(eps) * 2 / np.sqrt(8.0 * 5 * 3 * eps)
    assert np.allclose(matthews_corrcoef(matrix), expected, rtol=1e-5)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_matthews_of_many_classes_is_a_correlation():
    matrix = np.array([[[4, 1, 0], [0, 3, 2], [1, 0, 5]], [[3, 0, 0], [4, 0, 0], [2, 0, 0]]])
    target = np.repeat([0, 1, 2], [5, 5, 6])
    preds = np.array([0] * 4 + [1] + [1] * 3 + [2] * 2 + [0] + [2] * 5)
    x, y = np.eye(3)[target], np.eye(3)[preds]
    covariance = ((x - x.mean(0)) * (y - y.mean(0))).sum()
    spread = np.sqrt(((x - x.mean(0)) ** 2).sum() * ((y - y.mean(0)) ** 2).sum())
    assert np.allclose(matthews_corrcoef(matrix), [covariance / spread, 0.0])


def test_matthews_sums_labels_first():
    labels = np.array([[[[1, 2], [0, 1]], [[0, 0], [3, 3]]]])
    assert matthews_corrcoef(labels) == matthews_corrcoef(binary(1, 2, 3, 4))


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_compares_with_chance(weights):
    matrix = np.array([[[4, 1, 0], [0, 3, 2], [1, 0, 5]]])
    distance = np.abs(np.arange(3)[:, None] - np.arange(3))
    cost = {"none": distance > 0, "linear": distance, "quadratic": distance**2}[weights]
    chance = np.outer(matrix[0].sum(1), matrix[0].sum(0)) / matrix.sum()
    expected = 1 - (cost * matrix[0]).sum() / (cost * chance).sum()
    assert np.allclose(cohen_kappa(matrix, weights), expected)


def test_kappa_of_one_class_is_not_a_number():
    with np.errstate(all="ignore"):
        assert np.isnan(cohen_kappa(binary(0, 0, 0, 5), "none")).all()
