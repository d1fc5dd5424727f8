"""What does a call of Lightning's `results.log` say about its key?"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import torch

from ddpwatch.wire.messages import LoggedKey

PARAMETERS = (
    "prog_bar",
    "logger",
    "on_step",
    "on_epoch",
    "reduce_fx",
    "enable_graph",
    "sync_dist",
    "sync_dist_fn",
    "sync_dist_group",
    "add_dataloader_idx",
    "batch_size",
    "metric_attribute",
    "rank_zero_only",
)
"""Names of the parameters of `results.log` after the first three, for what comes by position."""

LONGEST_NAME = 512


Key = tuple[str, str, int]
"""Hook, name, and the dataloader's index, -1 where Lightning appends none."""


def about(key: Key, value: Any, options: Mapping[str, Any], order: int) -> LoggedKey:
    """Return what is said about a key by its first call of a pass; the sums are 0."""
    hook, name, dataloader = key
    is_tensor = isinstance(value, torch.Tensor)
    rank_zero_only = bool(options.get("rank_zero_only", False))
    passed_on = bool(options.get("sync_dist", False))
    return LoggedKey(
        hook=hook[:LONGEST_NAME],
        name=name[:LONGEST_NAME],
        dataloader=dataloader,
        on_step=bool(options.get("on_step", False)),
        on_epoch=bool(options.get("on_epoch", True)),
        sync_dist=passed_on or _was_asked_for(name),
        syncs=passed_on and is_tensor and not rank_zero_only,
        reduce_fx=reduction(options.get("reduce_fx", torch.mean)),
        rank_zero_only=rank_zero_only,
        logger=bool(options.get("logger", True)),
        prog_bar=bool(options.get("prog_bar", False)),
        group=_group(options.get("sync_dist_group")),
        metric="" if is_tensor else _path(options.get("metric_attribute"), value),
        metric_syncs=is_tensor or bool(getattr(value, "sync_on_compute", True)),
        order=order,
    )


def reduction(reduce_fx: Any) -> str:
    """Return `mean`, `sum`, `max` or `min` for what Lightning takes as such, else its name."""
    name = reduce_fx.lower() if isinstance(reduce_fx, str) else getattr(reduce_fx, "__name__", "")
    return "mean" if name == "avg" else str(name)[:LONGEST_NAME]


def _was_asked_for(name: str) -> bool:
    """Say whether `self.log` was called with `sync_dist`, which it keeps to itself on one device.

    Its frame is a few above; looked at only in a key's first call.
    """
    frame = sys._getframe()  # noqa: SLF001
    for _ in range(12):
        if frame.f_back is None:
            return False
        frame = frame.f_back
        if frame.f_code.co_name == "log" and "sync_dist_group" in frame.f_code.co_varnames:
            given = frame.f_locals
            return given.get("name") == name and bool(given.get("sync_dist", False))
    return False


def _path(attribute: Any, metric: Any) -> str:
    return (attribute if isinstance(attribute, str) and attribute else type(metric).__name__)[
        :LONGEST_NAME
    ]


def _group(group: Any) -> str:
    """Return the ranks of a process group, separated by commas; empty for all ranks."""
    if group is None:
        return ""
    try:
        ranks = torch.distributed.get_process_group_ranks(group)
    except (RuntimeError, ValueError, KeyError, TypeError, AttributeError):
        return type(group).__name__
    return ",".join(map(str, ranks))[:LONGEST_NAME]
