"""How much of the targets' variance do predictions explain? R2, explained variance, relative error.

Source: r2.py, explained_variance.py and rse.py in torchmetrics/functional/regression.
"""

from __future__ import annotations

import numpy as np

from ddpwatch.errors import StateError
from ddpwatch.metrics.averages import as_float, sum_classes
from ddpwatch.metrics.parameters import Parameters, flag, whole, word
from ddpwatch.metrics.states import Numbers
from ddpwatch.metrics.sums import Sums

_CLOSE = 1e-4
_OUTPUTS = ("uniform_average", "raw_values", "variance_weighted")


def r2(sums: Sums) -> Numbers:
    """Return the coefficient of determination, (N, M) or averaged (N, 1).

    Not-a-number below two samples, where torchmetrics refuses to compute it.
    """
    names = ("sum_squared_error", "sum_error", "residual", "total")
    squares, observed, residual, total = sums.read(*names)
    spread = squares - observed * (observed / total)
    is_off, is_spread = np.abs(residual) > _CLOSE, np.abs(spread) > _CLOSE
    each = np.where(is_off & is_spread, 1 - residual / spread, np.ones_like(residual))
    each = np.where(is_off & ~is_spread, np.zeros_like(residual), each)
    value = _adjusted(_averaged(each, spread, sums.params), total, sums.params)
    return np.where(total < 2, np.nan, value)


def explained_variance(sums: Sums) -> Numbers:
    """Return the explained variance, (N, M) or averaged (N, 1)."""
    count = sums.first_of("num_obs", "n_obs")
    names = ("sum_error", "sum_squared_error", "sum_target", "sum_squared_target", count)
    error, squared_error, target, squared_target, total = sums.read(*names)
    unexplained = squared_error / total - (error / total) ** 2
    spread = squared_target / total - (target / total) ** 2
    is_off, is_spread = unexplained != 0, spread != 0
    each = np.where(is_off & is_spread, 1 - unexplained / spread, np.ones_like(unexplained))
    each = np.where(is_off & ~is_spread, np.zeros_like(unexplained), each)
    return _averaged(each, spread, sums.params)


def relative_squared_error(sums: Sums) -> Numbers:
    """Return the squared error relative to the targets' spread, averaged over outputs, (N, 1)."""
    names = ("sum_squared_error", "sum_error", "residual", "total")
    squares, observed, residual, total = sums.read(*names)
    # `torch.clamp` keeps what is not a number, as `maximum` does.
    spread = np.maximum(squares - observed * observed / total, np.finfo(residual.dtype).eps)
    each = residual / spread
    if not flag(sums.params, "squared", default=True):
        each = np.sqrt(each)
    return _mean(each)


def _averaged(each: Numbers, spread: Numbers, params: Parameters) -> Numbers:
    how = word(params, "multioutput", _OUTPUTS, default="uniform_average")
    if how == "raw_values":
        return each
    if how == "uniform_average":
        return _mean(each)
    shares = spread / sum_classes(spread)[:, np.newaxis]
    return sum_classes(shares * each)[:, np.newaxis]


def _adjusted(value: Numbers, total: Numbers, params: Parameters) -> Numbers:
    """Adjust for the number of regressors, where there are more samples than these."""
    regressors = whole(params, "adjusted") or 0
    if regressors < 0 or regressors > 2**31:
        raise StateError("adjusted: expected a whole number from 0")
    if regressors == 0:
        return value
    adjusted = 1 - (1 - value) * (total - 1) / (total - regressors - 1)
    return np.where(regressors < total - 1, adjusted, value)


def _mean(each: Numbers) -> Numbers:
    mean = sum_classes(each) / each.dtype.type(each.shape[1])
    return as_float(mean)[:, np.newaxis]
