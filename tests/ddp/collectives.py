"""Which collectives did a rank run, in which order? A spy on torch.distributed."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.distributed as dist

NAMES = (
    "all_reduce",
    "all_reduce_coalesced",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_gather_coalesced",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "broadcast_object_list",
    "barrier",
    "monitored_barrier",
    "gather",
    "gather_object",
    "scatter",
    "scatter_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "send",
    "recv",
    "isend",
    "irecv",
    "batch_isend_irecv",
    "new_group",
)


class Spy:
    """Notes every call of a collective with the shapes of its tensors."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        for name in NAMES:
            self._wrap(dist, name)
            self._wrap(dist.distributed_c10d, name)

    def _wrap(self, module: Any, name: str) -> None:
        original = getattr(module, name)

        @functools.wraps(original)
        def spied(*args: Any, **kwargs: Any) -> Any:
            shapes = [tuple(each.shape) for each in args if isinstance(each, torch.Tensor)]
            self.calls.append(f"{name}{shapes}")
            return original(*args, **kwargs)

        setattr(module, name, spied)


def sequence_number() -> int:
    """Return how many collectives the group has run, also those that C++ code asked for."""
    return int(dist.group.WORLD._get_sequence_number_for_group())  # type: ignore[union-attr]
