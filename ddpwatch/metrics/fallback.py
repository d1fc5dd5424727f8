"""What does torchmetrics itself say, where it is installed beside the dashboard?

The only module of the viewer that imports torch, and only once a rank holds a metric that has no
formula here. That takes seconds, which the thread that folds messages spends, never a screen.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any

import numpy as np

from ddpwatch.errors import StateError
from ddpwatch.metrics.allowed import Allowed, find_allowed
from ddpwatch.metrics.counts import names_of
from ddpwatch.metrics.parameters import brief
from ddpwatch.metrics.states import Numbers, Stacked, check_numbers
from ddpwatch.metrics.values import Evaluation, Score
from ddpwatch.wire.messages import TrackedMetric

MOST_RANKS = 128
"""Each state is computed on its own, in about a millisecond."""

_MOST = 1024
"""Of a number of classes or thresholds that is not also a length of the states."""


def why_not(metric: TrackedMetric, versions: Mapping[str, str]) -> str:
    """Return why torchmetrics cannot be asked, or nothing. Imports nothing."""
    name = metric.cls.rpartition(".")[2][:60]
    if find_allowed(metric.base) is None:
        return f"no formula for {name}; what Lightning logs of it is not recomputed here"
    here, there = installed(), versions.get("torchmetrics", "")
    if not here:
        return f"no formula for {name}; torchmetrics beside the dashboard would compute it"
    if here != there:
        return f"{name} needs the ranks' torchmetrics {there[:20]} here; there is {here}"
    return ""


@lru_cache(maxsize=1)
def installed() -> str:
    """Return the version of the torchmetrics that could be imported, or nothing."""
    if find_spec("torch") is None or find_spec("torchmetrics") is None:
        return ""
    try:
        return metadata.version("torchmetrics")
    except metadata.PackageNotFoundError:
        return ""


def ask(metric: TrackedMetric, stacked: Stacked) -> Evaluation:
    """Return the scores of N states, each computed by an object of the metric's class.

    Raises:
        StateError: states or parameters are not those of the class, or it cannot compute.
    """
    allowed = find_allowed(metric.base)
    if allowed is None:
        raise StateError(f"expected an allowed class, got {brief(metric.base)}")
    rows = len(next(iter(stacked.values()), ()))
    if rows > MOST_RANKS + 1:
        raise StateError(f"computed by torchmetrics itself, for at most {MOST_RANKS} ranks")
    try:
        values = list(_computed(allowed, metric, stacked, rows))
    except StateError:
        raise
    except Exception as error:  # third-party code, on states and parameters from outside
        raise StateError(f"torchmetrics cannot compute it: {brief(str(error))}") from error
    return Evaluation(tuple(_scores(allowed, metric, values)))


def _computed(
    allowed: Allowed, metric: TrackedMetric, stacked: Stacked, rows: int
) -> Iterator[list[Numbers]]:
    """Yield the results of each state, one array for each score."""
    with warnings.catch_warnings():
        # Said on the ranks already; here it would be printed across the screen.
        warnings.simplefilter("ignore")
        asked = _build(allowed, metric, stacked)
        results = [_compute(asked, stacked, row) for row in range(rows)]
    for result in results:
        parts = result if isinstance(result, tuple) else (result,)
        yield [part.detach().double().cpu().numpy() for part in parts]


def _build(allowed: Allowed, metric: TrackedMetric, stacked: Stacked) -> Any:
    """Make an object of the class, with the ranks' parameters; it synchronises with nobody."""
    missing = [name for name in allowed.params if name not in metric.params]
    if missing:
        raise StateError(f"expected the parameter {missing[0]}, which the ranks did not send")
    lengths = {length for values in stacked.values() for length in values.shape[1:]}
    params = {name: metric.params[name] for name in allowed.params}
    for name, value in params.items():
        size = len(value) if isinstance(value, list | tuple) else value
        if isinstance(size, int) and size > _MOST and size not in lengths:
            raise StateError(f"{name}: {brief(size)} does not go with the shapes of the states")
    cls = getattr(import_module(allowed.module), metric.base.rpartition(".")[2])
    return cls(**params, sync_on_compute=False, compute_with_cache=False)


def _compute(asked: Any, stacked: Stacked, row: int) -> Any:
    """Give the object one state of each name, and return what it computes.

    Raises:
        StateError: its class has other states, or states of other shapes.
    """
    import torch  # noqa: PLC0415 - a viewer without such a metric never loads it

    defaults = asked._defaults  # noqa: SLF001
    if set(defaults) != set(stacked):
        raise StateError(f"expected the states {', '.join(defaults)}")
    for name, default in defaults.items():
        values = torch.from_numpy(check_numbers(name, stacked[name])[row : row + 1].copy())[0]
        if values.shape != default.shape:
            shape = tuple(default.shape)
            raise StateError(f"state {name}: expected {shape}, got {tuple(values.shape)}")
        setattr(asked, name, values.to(default.dtype))
    asked._update_count = 1  # noqa: SLF001
    return asked.compute()


def _scores(
    allowed: Allowed, metric: TrackedMetric, values: list[list[Numbers]]
) -> Iterator[Score]:
    """Yield one score for each result of the class: a value, or one per class, label or bin."""
    for name, column in zip(allowed.scores, zip(*values, strict=True), strict=True):
        stacked = np.stack(column)
        if stacked.ndim == 1 or stacked.shape[1:] == (1,):
            yield Score(name, "", True, stacked.reshape(-1))  # noqa: FBT003 - `own`
        elif stacked.ndim == 2:
            labels = names_of(metric.labels, stacked.shape[1])
            yield Score(name, "none", True, stacked, labels)  # noqa: FBT003 - `own`
        else:
            raise StateError(f"{name} has {stacked.ndim - 1} dimensions, which no row can show")
