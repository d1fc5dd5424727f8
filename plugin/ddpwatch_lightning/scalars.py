"""Which numbers do logged values hold? No training thread waits for them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

import torch

from ddpwatch_lightning.cuda import Moment

Scalar: TypeAlias = Any
"""A number, None, or a tensor of one element that lies on some device and changes no more."""


def taken(value: Any) -> Scalar:
    """Return the number in a tensor of one element, or the tensor itself where reading would wait.

    Returns None for whatever else there is; for the training thread.
    """
    if not isinstance(value, torch.Tensor):
        return value if isinstance(value, int | float) else None
    if value.numel() != 1:
        return None
    return value.item() if value.is_cpu else value.detach()


def uses_gpu() -> bool:
    """Say whether this process works with CUDA."""
    is_in_use: bool = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    return is_in_use


def moment() -> Moment | None:
    """Return the present moment of the GPU, None where none is in use; for the training thread."""
    return Moment() if uses_gpu() else None


def passed(reached: Moment | None) -> AbstractContextManager[None]:
    """Wait until what was asked of a GPU before that moment is done; for the publisher's thread."""
    return contextlib.nullcontext() if reached is None else reached.passed()


def numbers(scalars: Sequence[Scalar]) -> list[float | None]:
    """Return floats, and None for what is no number; inside `passed`.

    Tensors of one kind leave their device together.
    """
    alike: dict[tuple[torch.dtype, torch.device], list[int]] = {}
    found = list(scalars)
    for index, scalar in enumerate(found):
        if isinstance(scalar, torch.Tensor) and scalar.numel() == 1:
            alike.setdefault((scalar.dtype, scalar.device), []).append(index)
    for indices in alike.values():
        together = torch.stack([found[index].reshape(()) for index in indices]).tolist()
        for index, number in zip(indices, together, strict=True):
            found[index] = number
    return [_float(number) for number in found]


def _float(number: Any) -> float | None:
    try:
        return None if number is None else float(number)
    except (TypeError, ValueError, OverflowError):
        return None
