"""What are the classes of a metric called? By argument, or by an attribute of the module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

Labels: TypeAlias = Sequence[str] | Mapping[str, Sequence[str]] | str | None
"""Names for all metrics, or by pattern of a metric's path, or the module attribute holding them."""

ATTRIBUTES = ("class_names", "label_names", "classes")
"""Module attributes that are tried where nothing was said."""

LONGEST = 512


def check_labels(labels: object) -> None:
    """Raise `TypeError` unless `labels` is one of the forms that `Labels` describes."""
    if labels is None or isinstance(labels, str) or _is_names(labels):
        return
    if isinstance(labels, Mapping) and all(
        isinstance(pattern, str) and _is_names(names) for pattern, names in labels.items()
    ):
        return
    raise TypeError(
        "labels: expected a list of names, a dict from path patterns to lists of names, or the "
        f"name of an attribute of the module, got {labels!r}"
    )


def labels_for(labels: Labels, module: object, path: str, count: int | None) -> tuple[str, ...]:
    """Return the names of a metric's `count` classes, or nothing where no list has that length."""
    if count is None:
        return ()
    for names in _candidates(labels, module, path):
        if _is_countable(names) and len(names) == count:
            return tuple(str(name)[:LONGEST] for name in names)
    return ()


def _candidates(labels: Labels, module: object, path: str) -> list[Any]:
    if labels is None:
        return [getattr(module, name, None) for name in ATTRIBUTES]
    if isinstance(labels, str):
        return [getattr(module, labels, None)]
    if isinstance(labels, Mapping):
        return [names for pattern, names in labels.items() if fnmatchcase(path, pattern)]
    return [labels]


def _is_names(names: object) -> bool:
    return _is_countable(names) and all(isinstance(name, str) for name in names)  # type: ignore[attr-defined]


def _is_countable(names: object) -> bool:
    return isinstance(names, list | tuple)
