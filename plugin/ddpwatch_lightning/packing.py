"""How are many small tensors copied at once, and their bytes told apart again later?"""

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


class Packed:
    """A copy of some tensors as they were when this was made: one buffer per dtype and device.

    Made on the training thread, for which it costs one `torch.cat` and no waiting; unpacked on
    another. The tensors themselves are kept for their shapes alone.
    """

    __slots__ = ("_buffers", "_tensors")

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        """Copy `tensors`; raises what torch raises for one that cannot be copied."""
        self._tensors = tensors
        groups: dict[tuple[torch.dtype, torch.device], list[int]] = {}
        for index, tensor in enumerate(tensors):
            groups.setdefault((tensor.dtype, tensor.device), []).append(index)
        self._buffers = [
            (indices, _copy([tensors[index] for index in indices])) for indices in groups.values()
        ]

    def unpack(self) -> list[Array | ListSize]:
        """Return the copies in the order of the tensors; of what cannot travel, only its size."""
        arrays: list[Array | ListSize] = [ListSize(0, 0)] * len(self._tensors)
        for indices, buffer in self._buffers:
            flat = _on_host(buffer)
            name = dtype_name(flat.dtype)
            values = _to_numpy(flat) if name in DTYPES else None
            start = 0
            for index in indices:
                tensor = self._tensors[index]
                stop = start + tensor.numel()
                arrays[index] = (
                    size_of(tensor)
                    if values is None or tensor.ndim > MOST_DIMENSIONS
                    else Array(name, tuple(tensor.shape), values[start:stop].tobytes())
                )
                start = stop
        return arrays


def size_of(tensor: torch.Tensor) -> ListSize:
    """Return the length and bytes of a tensor that does not travel itself."""
    return ListSize(tensor.shape[0] if tensor.ndim else 1, tensor.numel() * tensor.element_size())


def _copy(tensors: list[torch.Tensor]) -> torch.Tensor | Departing:
    packed = torch.cat([t if t.dim() == 1 else t.reshape(-1) for t in tensors])
    if packed.layout is not torch.strided:
        raise TypeError(f"expected dense states, got one of layout {packed.layout}")
    if packed.requires_grad:
        packed = packed.detach()
    return Departing(packed) if packed.is_cuda else packed


def _on_host(buffer: torch.Tensor | Departing) -> torch.Tensor:
    return buffer.arrived() if isinstance(buffer, Departing) else buffer.cpu()


def _to_numpy(flat: torch.Tensor) -> NDArray[np.generic]:
    # NumPy has no bfloat16; its bit patterns travel instead.
    bits = flat.view(torch.int16) if flat.dtype is torch.bfloat16 else flat
    values: NDArray[np.generic] = bits.numpy()
    return values
