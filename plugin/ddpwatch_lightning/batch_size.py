"""How many samples are in a batch? The first tensor found in it says, or nobody does."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import islice
from typing import Any

import torch

_DEPTH = 4
_WIDTH = 16


def batch_size(batch: Any, depth: int = _DEPTH) -> int | None:
    """Return the length of the first tensor with a dimension, depth first; None if there is none.

    The walk is bounded in depth and width, reads no tensor's values, and never raises.
    """
    if isinstance(batch, torch.Tensor):
        return batch.shape[0] if batch.ndim else None
    if depth == 0:
        return None
    for part in _parts(batch):
        size = batch_size(part, depth - 1)
        if size is not None:
            return size
    return None


def _parts(batch: Any) -> list[Any]:
    if isinstance(batch, Mapping):
        return list(islice(batch.values(), _WIDTH))
    if isinstance(batch, list | tuple):
        return list(batch[:_WIDTH])
    if dataclasses.is_dataclass(batch):
        return [getattr(batch, f.name, None) for f in dataclasses.fields(batch)[:_WIDTH]]
    return []
