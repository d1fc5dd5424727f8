"""How are many small tensors copied at once, and told apart again later?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from ddpwatch.wire.arrays import DTYPES
from ddpwatch.wire.messages import Array, ListSize
from ddpwatch_lightning.cuda import Departing
from ddpwatch_lightning.describe import dtype_name

MOST_DIMENSIONS = 8


class ChangedError(Exception):
    """Tensors do not fit the layout that they once had."""


class Buffer:
    """Which of some tensors are copied together: those of one dtype and device."""

    __slots__ = ("_are_flat", "_dtype", "_is_all", "_numel", "_on_gpu", "indices")

    def __init__(self, tensors: Sequence[torch.Tensor], indices: Sequence[int]) -> None:
        """Note what the tensors at `indices` are like; raises `TypeError` if some are not dense."""
        members = [tensors[index] for index in indices]
        for layout in {member.layout for member in members} - {torch.strided}:
            raise TypeError(f"expected dense states, got one of layout {layout}")
        self.indices = indices
        self._is_all = len(indices) == len(tensors)
        self._are_flat = all(member.ndim == 1 for member in members)
        self._dtype = members[0].dtype
        self._numel = sum(member.numel() for member in members)
        self._on_gpu = members[0].is_cuda

    def copy(self, tensors: Sequence[torch.Tensor]) -> torch.Tensor | Departing:
        """Return the members of `tensors` end to end.

        Raises:
            ChangedError: together, they are of another dtype or number than before.
        """
        members = tensors if self._is_all else [tensors[index] for index in self.indices]
        if not self._are_flat:
            members = [member.reshape(-1) for member in members]
        copy = torch.cat(members)  # type: ignore[arg-type]
        if copy.dtype is not self._dtype or copy.numel() != self._numel:
            raise ChangedError
        return Departing(copy) if self._on_gpu else copy


class Layout:
    """Of which dtypes and shapes some tensors are, and so, how they lie in their buffers."""

    __slots__ = ("_buffers", "_shapes")

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        """Look at each tensor; raises `TypeError` if some are not dense."""
        self._shapes = [tuple(tensor.shape) for tensor in tensors]
        alike: dict[tuple[torch.dtype, torch.device], list[int]] = {}
        for index, tensor in enumerate(tensors):
            alike.setdefault((tensor.dtype, tensor.device), []).append(index)
        self._buffers = [Buffer(tensors, indices) for indices in alike.values()]

    def pack(self, tensors: Sequence[torch.Tensor]) -> Packed:
        """Copy `tensors`, which once had this layout; waits for no device.

        Raises:
            ChangedError: they have not any more.
        """
        return Packed(self, [buffer.copy(tensors) for buffer in self._buffers])

    def unpack(self, copies: Sequence[torch.Tensor | Departing]) -> list[Array | ListSize]:
        """Return the tensors in their order; of what cannot travel, only the size."""
        arrays: list[Array | ListSize] = [ListSize(0, 0)] * len(self._shapes)
        for buffer, copy in zip(self._buffers, copies, strict=True):
            flat = _on_host(copy)
            start = 0
            for index in buffer.indices:
                shape = self._shapes[index]
                stop = start + int(np.prod(shape, dtype=np.int64))
                arrays[index] = _array(flat[start:stop], shape)
                start = stop
        return arrays


class Packed:
    """Tensors as they were when they were copied; made on one thread, unpacked on another."""

    __slots__ = ("_copies", "_layout")

    def __init__(self, layout: Layout, copies: Sequence[torch.Tensor | Departing]) -> None:
        self._layout = layout
        self._copies = copies

    def unpack(self) -> list[Array | ListSize]:
        """Return the tensors in their order; of what cannot travel, only the size."""
        return self._layout.unpack(self._copies)


def size_of(tensor: torch.Tensor, shape: Sequence[int] | None = None) -> ListSize:
    """Return the length and bytes of a tensor that does not travel itself."""
    shape = tensor.shape if shape is None else shape
    return ListSize(shape[0] if len(shape) else 1, tensor.numel() * tensor.element_size())


def _on_host(copy: torch.Tensor | Departing) -> torch.Tensor:
    arrived = copy.arrived() if isinstance(copy, Departing) else copy.cpu()
    return arrived.detach().reshape(-1)


def _array(flat: torch.Tensor, shape: tuple[int, ...]) -> Array | ListSize:
    name = dtype_name(flat.dtype)
    if name not in DTYPES or len(shape) > MOST_DIMENSIONS:
        return size_of(flat, shape)
    return Array(name, shape, _bits(flat).tobytes())


def _bits(flat: torch.Tensor) -> NDArray[np.generic]:
    # NumPy has no bfloat16; its bit patterns travel instead.
    values: NDArray[np.generic] = (
        flat.view(torch.int16) if flat.dtype is torch.bfloat16 else flat
    ).numpy()
    return values
