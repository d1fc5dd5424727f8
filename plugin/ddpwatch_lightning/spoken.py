"""What is written by one call on a logger: which tags, with which value, at which step?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import torch

MOST_ENTRIES = 64
"""Entries of one call that are told one by one; the others are only counted."""

LONGEST_NAME = 512
LONGEST_TEXT = 200


class Spoken(NamedTuple):
    """One tag of a call: its number if it is one, else a short account of what was given."""

    name: str
    value: float | None
    text: str
    step: int | None


Reader: TypeAlias = Callable[[Sequence[Any], Mapping[str, Any]], Iterator[Spoken]]


def read(method: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Spoken]:
    """Return what a call of `method` writes; raises nothing that the arguments do not raise."""
    return list(_READERS.get(method, _anything)(args, kwargs))


def number(value: Any) -> float | None:
    """Return a plain number, or None for all else; never waits for a GPU."""
    if isinstance(value, torch.Tensor):
        is_readable = value.device.type == "cpu" and value.numel() == 1 and not value.is_complex()
        return float(value.detach()) if is_readable else None
    if isinstance(value, Real):
        return float(value)
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        plain = value.item()
        return float(plain) if isinstance(plain, Real) else None
    return None


def _account(value: Any) -> str:
    """Say what a value is without printing what might be large."""
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    shape = getattr(value, "shape", None)
    if shape is not None:
        place = f" on {value.device}" if isinstance(value, torch.Tensor) and value.is_cuda else ""
        return f"{type(value).__name__} {tuple(shape)}{place}"[:LONGEST_TEXT]
    if isinstance(value, Mapping | list | tuple):
        return f"{type(value).__name__} of {len(value)}"
    return type(value).__name__[:LONGEST_TEXT]


def _spoken(name: object, value: Any, step: Any) -> Spoken:
    found = number(value)
    text = "" if found is not None else _account(value)
    whole = step if isinstance(step, int) and not isinstance(step, bool) else None
    return Spoken(str(name)[:LONGEST_NAME], found, text, whole)


def _entries(entries: Mapping[Any, Any], step: Any, prefix: str = "") -> Iterator[Spoken]:
    for name, value in islice(entries.items(), MOST_ENTRIES):
        yield _spoken(f"{prefix}{name}", value, step)
    if len(entries) > MOST_ENTRIES:
        rest = f"{len(entries) - MOST_ENTRIES} more entries"
        yield Spoken(prefix, None, rest, None)


def _argument(
    args: Sequence[Any], kwargs: Mapping[str, Any], place: int, *names: str, default: Any = None
) -> Any:
    if place < len(args):
        return args[place]
    return next((kwargs[name] for name in names if name in kwargs), default)


def _add_scalar(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Spoken]:
    value = _argument(args, kwargs, 1, "scalar_value")
    step = _argument(args, kwargs, 2, "global_step")
    yield _spoken(_argument(args, kwargs, 0, "tag", default=""), value, step)


def _add_scalars(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Spoken]:
    entries = _argument(args, kwargs, 1, "tag_scalar_dict", default={})
    step = _argument(args, kwargs, 2, "global_step")
    return _entries(entries, step, f"{_argument(args, kwargs, 0, 'main_tag')}/")


def _add_anything(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Spoken]:
    value = _argument(args, kwargs, 1, *[name for name in kwargs if name not in {"tag", "step"}])
    step = _argument(args, kwargs, 2, "global_step", "step")
    yield _spoken(_argument(args, kwargs, 0, "tag", default=""), value, step)


def _log(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Spoken]:
    entries = _argument(args, kwargs, 0, "data", "row", default={})
    return _entries(_flat(entries), _argument(args, kwargs, 1, "step"))


def _log_metrics(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Spoken]:
    # MLflow's come after the id of a run.
    shift = 0 if not args or isinstance(args[0], Mapping) else 1
    entries = _argument(args, kwargs, shift, "metrics", "metrics_dict", "dic", default={})
    return _entries(entries, _argument(args, kwargs, shift + 1, "step"))


def _log_metric(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Spoken]:
    has_run = "run_id" in kwargs or (len(args) > 1 and isinstance(args[1], str))
    shift = 1 if has_run and "run_id" not in kwargs else 0
    key = _argument(args, kwargs, shift, "key", "name", default="")
    value = _argument(args, kwargs, shift + 1, "value")
    # MLflow's client takes the time before the step.
    step = _argument(args, kwargs, shift + (3 if has_run else 2), "step")
    yield _spoken(key, value, step)


def _log_batch(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Spoken]:
    shift = 0 if "run_id" in kwargs else 1
    metrics = _argument(args, kwargs, shift, "metrics", default=())
    for metric in islice(metrics, MOST_ENTRIES):
        yield _spoken(metric.key, metric.value, getattr(metric, "step", None))


def _log_hyperparams(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Spoken]:
    given = args[0] if args else next(iter(kwargs.values()), {})
    count = len(given) if isinstance(given, Mapping) else len(getattr(given, "__dict__", ()))
    yield Spoken("", None, f"{count} hyperparameters", None)


def _anything(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Spoken]:
    given = [*args, *kwargs.values()]
    name = given[0] if given and isinstance(given[0], str) else ""
    text = ", ".join(_account(each) for each in given[1 if name else 0 :][:4])
    yield Spoken(name[:LONGEST_NAME], None, text, None)


def _flat(entries: Mapping[Any, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested entries under names with dots, as W&B shows them."""
    flat: dict[str, Any] = {}
    for name, value in entries.items():
        if isinstance(value, Mapping) and len(flat) <= MOST_ENTRIES:
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


_READERS: dict[str, Reader] = {
    "add_scalar": _add_scalar,
    "add_scalars": _add_scalars,
    "add_histogram": _add_anything,
    "add_image": _add_anything,
    "add_images": _add_anything,
    "add_figure": _add_anything,
    "add_text": _add_anything,
    "log": _log,
    "log_metric": _log_metric,
    "log_metrics": _log_metrics,
    "log_batch": _log_batch,
    "log_hyperparams": _log_hyperparams,
    "log_params": _log_hyperparams,
    "log_hparams": _log_hyperparams,
}
