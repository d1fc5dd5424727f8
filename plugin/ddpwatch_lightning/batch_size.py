"""How many samples are in a batch? The first tensor found in it says, or nobody does."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import torch

_DEPTH = 4
_WIDTH = 16
_USUAL = (list, tuple)


def batch_size(batch: Any) -> int | None:
    """Return the length of the first tensor with a dimension, depth first; None if there is none.

    The walk is bounded in depth and width, reads no tensor's values, and never raises.
    """
    try:
        # Most batches begin with a tensor; the walk would say the same, but take thrice the time.
        first = batch[0] if type(batch) in _USUAL else batch
        if type(first) is torch.Tensor and first.ndim:
            return first.size(0)
        return _size(batch, _DEPTH)
    except Exception:  # noqa: BLE001 - a batch may be of any class, with any idea of iteration
        return None


def _size(part: Any, depth: int) -> int | None:
    if isinstance(part, torch.Tensor):
        return part.size(0) if part.ndim else None
    for inner in _parts(part) if depth else ():
        size = _size(inner, depth - 1)
        if size is not None:
            return size
    return None


def _parts(batch: Any) -> Sequence[Any]:
    if isinstance(batch, (list, tuple)):
        return batch[:_WIDTH]
    if isinstance(batch, Mapping):
        return list(islice(batch.values(), _WIDTH))
    if dataclasses.is_dataclass(batch):
        return [getattr(batch, f.name, None) for f in dataclasses.fields(batch)[:_WIDTH]]
    return ()
