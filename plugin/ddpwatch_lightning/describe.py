"""What does a rank declare about a metric: its class, parameters and states?"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, TypeAlias

import torch
from torchmetrics import Metric
from torchmetrics.utilities.data import (
    dim_zero_cat,
    dim_zero_max,
    dim_zero_mean,
    dim_zero_min,
    dim_zero_sum,
)

from ddpwatch.wire.messages import StateSpec, TrackedMetric
from ddpwatch_lightning.labels import Labels, labels_for
from ddpwatch_lightning.tracked import Tracked

Reduction: TypeAlias = Literal["sum", "mean", "max", "min", "cat", "none", "custom"]

PARAMETERS = (
    "num_classes",
    "num_labels",
    "num_outputs",
    "average",
    "top_k",
    "ignore_index",
    "threshold",
    "thresholds",
    "multidim_average",
    "zero_division",
    "beta",
    "normalize",
    "weights",
    "task",
    "nan_strategy",
    "n_bins",
    "norm",
    "max_fpr",
    "squared",
    "power",
    "p",
    "adjusted",
    "multioutput",
    "multiclass_mode",
    "reduction",
    "log_prob",
    "keep_sequence_dim",
    "min_precision",
    "min_recall",
    "min_specificity",
    "min_sensitivity",
    "n_gram",
    "smooth",
    "data_range",
    "base",
    "bias_correction",
    "full_state_update",
    "sync_on_compute",
    "dist_sync_on_step",
    "compute_with_cache",
    "validate_args",
)
"""Attributes of metrics that go along where they hold plain data."""

MOST_ELEMENTS = 65_536
"""Of a list or tensor: the thresholds of a curve pass, weights of a network do not."""

LONGEST_NAME = 512

_REDUCTIONS: Mapping[object, Reduction] = {
    dim_zero_sum: "sum",
    dim_zero_mean: "mean",
    dim_zero_max: "max",
    dim_zero_min: "min",
    dim_zero_cat: "cat",
    None: "none",
}
_ABSENT = object()


def describe(tracked: Tracked, module: object, labels: Labels) -> TrackedMetric:
    """Return the declaration of one metric; reads its configuration only, never its live states.

    For the publisher's thread: the thresholds of a curve may lie on a GPU, and reading them waits.
    """
    metric = tracked.metric
    params = _params(metric)
    return TrackedMetric(
        path=tracked.path[:LONGEST_NAME],
        cls=type(metric).__name__[:LONGEST_NAME],
        base=_base(type(metric)),
        params=params,
        labels=tracked.labels or labels_for(labels, module, tracked.path, _class_count(params)),
        registered=tracked.registered,
        device=str(metric.device),
        object=id(metric),
        shadow=tracked.shadow,
        states=tuple(_state(metric, name) for name in metric._defaults),  # noqa: SLF001
    )


def dtype_name(dtype: torch.dtype) -> str:
    """Return the name that NumPy gives a dtype, or would: `int64`, `bfloat16`."""
    return str(dtype).removeprefix("torch.")


def _base(cls: type[Metric]) -> str:
    """Name the torchmetrics class whose update and compute `cls` has unchanged, if there is one."""
    for each in cls.__mro__:
        if each.__module__.partition(".")[0] == "torchmetrics" and issubclass(each, Metric):
            is_same = each.update is cls.update and each.compute is cls.compute
            return each.__name__ if is_same else ""
    return ""


def _state(metric: Metric, name: str) -> StateSpec:
    default = metric._defaults[name]  # noqa: SLF001
    is_list = isinstance(default, list)
    return StateSpec(
        name=name[:LONGEST_NAME],
        reduction=_REDUCTIONS.get(metric._reductions[name], "custom"),  # noqa: SLF001
        dtype=dtype_name(default.dtype) if isinstance(default, torch.Tensor) else "",
        is_list=is_list,
    )


def _class_count(params: Mapping[str, Any]) -> int | None:
    for name in ("num_classes", "num_labels"):
        count = params.get(name)
        if isinstance(count, int):
            return count
    return None


def _params(metric: Metric) -> dict[str, Any]:
    values = {name: _plain(getattr(metric, name, _ABSENT)) for name in PARAMETERS}
    return {name: value for name, value in values.items() if value is not _ABSENT}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, torch.Tensor) and value.numel() <= MOST_ELEMENTS:
        return value.detach().cpu().tolist()
    if isinstance(value, list | tuple) and len(value) <= MOST_ELEMENTS:
        parts = [_plain(part) for part in value]
        return _ABSENT if any(part is _ABSENT for part in parts) else parts
    return _ABSENT
