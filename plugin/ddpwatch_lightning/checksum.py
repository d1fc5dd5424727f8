"""Did two ranks see the same samples? A sum over the samples says so, in whatever order they came.

Of the batch, one tensor counts: the first of floating point with rows of more than one element,
else the first with rows of at least eight. Of a row, at most 16 elements count, spread over it;
they are picked by the row's length alone, so all ranks pick the same. A row of few labels would be
the same for many samples and prove nothing, and so does a first batch whose rows are all alike.

A step only copies what counts; the copies are hashed many at once, as each operation of NumPy costs
more than the numbers do.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

MODULUS = 2**53
COLUMNS = 16
MOST_ROWS = 64
"""Samples of a batch that count; those of a larger one depend on its order."""

MOST_COPIED = 65_536
"""Elements of a tensor that may be copied first, because they do not lie in a row."""

AT_ONCE = 64

_LEAST_WHOLE = 8
_WIDTH = 4
_LONG = 64

_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_WEIGHTS = np.random.default_rng(20_240_229).integers(
    1, 2**64 - 1, COLUMNS, dtype=np.uint64
) | np.uint64(1)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


class Checksum:
    """The sum over the samples of one pass and loader.

    It is not taken of tensors on a GPU, and not where rows prove nothing.
    """

    __slots__ = ("_is_off", "_sum", "_waiting")

    def __init__(self) -> None:
        self._sum = 0
        self._is_off = False
        self._waiting: list[NDArray[Any]] = []

    def add(self, batch: Any) -> None:
        """Take in a batch; never raises."""
        if self._is_off:
            return
        try:
            tensor = _tensor(batch)
            if tensor is None:
                self._is_off = True
                return
            self._waiting.append(_picked(tensor))
            if len(self._waiting) >= AT_ONCE:
                self._fold()
        except Exception:  # noqa: BLE001 - a batch may be of any class, with any idea of iteration
            self._is_off = True

    def value(self) -> int:
        """Return the sum so far, below 2**53; 0 where it is not taken."""
        try:
            self._fold()
        except (TypeError, ValueError):
            self._is_off = True
        return 0 if self._is_off else self._sum

    def _fold(self) -> None:
        waiting, self._waiting = self._waiting, []
        alike: dict[tuple[Any, int], list[NDArray[Any]]] = {}
        for picked in waiting:
            alike.setdefault((picked.dtype, picked.shape[1]), []).append(picked)
        for some in alike.values():
            hashes = _hashes(some[0] if len(some) == 1 else np.concatenate(some))
            if self._sum == 0 and len(hashes) > 1 and (hashes == hashes[0]).all():
                self._is_off = True
                return
            self._sum = (self._sum + int(hashes.sum(dtype=np.uint64))) % MODULUS


def _tensor(batch: Any) -> torch.Tensor | None:
    """Return the tensor that counts, or None if there is none in this machine's memory."""
    fallback = None
    for part in _parts(batch):
        if not isinstance(part, torch.Tensor) or not part.ndim or part.is_complex():
            continue
        length = part.numel() // max(1, part.size(0))
        if part.is_floating_point() and length > 1:
            return part if part.device.type == "cpu" else None
        if fallback is None and length >= _LEAST_WHOLE:
            fallback = part
    return fallback if fallback is None or fallback.device.type == "cpu" else None


def _parts(batch: Any) -> Any:
    if isinstance(batch, Mapping):
        return islice(batch.values(), _WIDTH)
    if isinstance(batch, (list, tuple)):
        nested = batch[0] if batch and isinstance(batch[0], (list, tuple, Mapping)) else None
        return batch[:_WIDTH] if nested is None else _parts(nested)
    return (batch,)


def _picked(tensor: torch.Tensor) -> NDArray[Any]:
    """Copy what counts of the first rows; raises `ValueError` where that would be too much."""
    if not tensor.is_contiguous() and tensor.numel() > MOST_COPIED:
        raise ValueError
    plain = tensor.detach()
    # NumPy has no bfloat16; its bit patterns count instead.
    values = (plain.view(torch.int16) if plain.dtype is torch.bfloat16 else plain).numpy()
    rows = values.reshape(values.shape[0], -1)[:MOST_ROWS]
    quarter = rows.shape[1] // 4
    if quarter >= _LONG:
        # Neighbours come from memory together; so many single elements would take a while.
        start = quarter // 2
        runs = rows[:, : 4 * quarter].reshape(len(rows), 4, quarter)[:, :, start : start + 4]
        return runs.reshape(len(rows), COLUMNS)
    step = -(-rows.shape[1] // COLUMNS)
    return rows[:, ::step].copy()


def _hashes(picked: NDArray[Any]) -> NDArray[np.uint64]:
    """Return one hash of each row, below 2**53."""
    bits = picked.view(_UNSIGNED[picked.dtype.itemsize]).astype(np.uint64)
    mixed: NDArray[np.uint64] = bits @ _WEIGHTS[: bits.shape[1]]
    mixed ^= mixed >> _SHIFT
    mixed *= _MIX
    mixed ^= mixed >> _SHIFT
    return mixed & np.uint64(MODULUS - 1)
