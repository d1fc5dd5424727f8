"""Which predictions and target are in what a step returned, and do they fit the task?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from ddpwatch_lightning.shadow import Key, Shadow

MOST_KEYS_TOLD = 12


class UnfitError(Exception):
    """What a step returned is not what was expected; the text says both."""


def inputs_of(shadow: Shadow, outputs: Any, batch: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return predictions and target as torchmetrics takes them: of one task, without gradients.

    No value of a tensor on a GPU is looked at.

    Raises:
        UnfitError: there are none, or they do not fit.
    """
    if shadow.pick is not None:
        try:
            preds, target = shadow.pick(outputs, batch)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
            raise UnfitError(
                f"expected shadow.pick(outputs, batch) to return (predictions, target) from "
                f"{_told(outputs)}, got {type(error).__name__}: {error}"
            ) from error
    else:
        preds, target = _looked_up(shadow, outputs, batch)
    return _fitted(shadow, _tensor(preds, "predictions"), _tensor(target, "target"))


_ABSENT = object()


def _looked_up(shadow: Shadow, outputs: Any, batch: Any) -> tuple[Any, Any]:
    preds = _item(outputs, shadow.preds)
    target = _item(outputs, shadow.target)
    if target is _ABSENT and isinstance(batch, Mapping):
        target = _item(batch, shadow.target)
    if preds is _ABSENT or target is _ABSENT:
        raise UnfitError(
            f"expected the step to return a dict with the keys {shadow.preds!r} and "
            f"{shadow.target!r}, got {_told(outputs)}"
        )
    return preds, target


def _item(source: Any, key: Key) -> Any:
    if isinstance(source, Mapping):
        return source.get(key, _ABSENT)
    if isinstance(key, int):
        is_there = isinstance(source, list | tuple) and -len(source) <= key < len(source)
        return source[key] if is_there else _ABSENT
    return getattr(source, key, _ABSENT)


def _told(outputs: Any) -> str:
    """Say what a step returned, without printing values."""
    if outputs is None:
        return "nothing (the step has to return them)"
    if isinstance(outputs, Mapping):
        keys = [repr(key) for key in outputs]
        more = ", ..." if len(keys) > MOST_KEYS_TOLD else ""
        return f"a dict with the keys {', '.join(keys[:MOST_KEYS_TOLD])}{more}"
    if isinstance(outputs, torch.Tensor):
        return f"a tensor of shape {tuple(outputs.shape)}"
    return f"a {type(outputs).__name__}"


def _tensor(value: Any, what: str) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, Sequence) and value and isinstance(value[0], torch.Tensor):
        return torch.stack([each.detach() for each in value])
    try:
        return torch.from_numpy(np.asarray(value))
    except (TypeError, ValueError) as error:
        raise UnfitError(
            f"expected {what} that are a tensor, an array or a list of numbers, "
            f"got a {type(value).__name__}"
        ) from error


def _fitted(
    shadow: Shadow, preds: torch.Tensor, target: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    if preds.is_floating_point() and preds.dtype not in (torch.float32, torch.float64):
        preds = preds.float()
    if shadow.task == "binary":
        preds, target = preds.reshape(-1), target.reshape(-1)
    _check_shapes(shadow, preds, target)
    if target.is_floating_point() or target.dtype is torch.bool:
        target = target.long()
    if preds.dtype is torch.bool:
        preds = preds.long()
    _check_values(shadow, preds, target)
    return _normalised(shadow, preds), target.to(preds.device)


def _check_shapes(shadow: Shadow, preds: torch.Tensor, target: torch.Tensor) -> None:
    count = shadow.count
    shapes = tuple(preds.shape), tuple(target.shape)
    fits = shapes[0] == shapes[1] and preds.ndim >= 1
    expected = "as many predictions as targets"
    if shadow.task == "multilabel":
        fits = fits and preds.ndim >= 2 and preds.shape[1] == count
        expected = f"predictions and target of shape (N, {count})"
    elif shadow.task == "multiclass":
        without_classes = (*shapes[0][:1], *shapes[0][2:])
        has_scores = preds.ndim >= 2 and preds.shape[1] == count and without_classes == shapes[1]
        fits = has_scores or (fits and not preds.is_floating_point() and not shadow.searches)
        expected = f"predictions of shape (N, {count}) and target of shape (N,)"
    if not fits:
        raise UnfitError(f"expected {expected}, got {shapes[0]} and {shapes[1]}")


def _check_values(shadow: Shadow, preds: torch.Tensor, target: torch.Tensor) -> None:
    """Refuse what torchmetrics would count wrongly or trip over; only where looking is free."""
    most = shadow.count - 1 if shadow.task == "multiclass" else 1
    given = [("target", target)] + ([] if preds.is_floating_point() else [("predictions", preds)])
    for what, values in given:
        if values.device.type != "cpu" or not values.numel():
            continue
        counted = values if shadow.ignore_index is None else values[values != shadow.ignore_index]
        if not counted.numel():
            continue
        least_found, most_found = (int(each) for each in torch.aminmax(counted))
        if least_found < 0 or most_found > most:
            raise UnfitError(f"expected {what} from 0 to {most}, got {least_found} to {most_found}")


def _normalised(shadow: Shadow, preds: torch.Tensor) -> torch.Tensor:
    if not preds.is_floating_point() or shadow.logits is None:
        return preds
    if not shadow.logits:
        return preds.clamp(0.0, 1.0)
    return preds.softmax(dim=1) if shadow.task == "multiclass" else preds.sigmoid()
