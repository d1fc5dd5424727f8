"""Are the callback's arguments usable? Decided when it is made, long before training starts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ddpwatch.errors import UsageError
from ddpwatch.wire.endpoint import resolve
from ddpwatch_lightning.cadence import Every
from ddpwatch_lightning.labels import Labels, check_labels
from ddpwatch_lightning.shadow import Shadow, checked_shadow
from ddpwatch_lightning.tracked import Selection

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the user asked for; plain data, so that it travels to spawned ranks."""

    endpoint: str | None
    name: str | None
    every: Every
    selection: Selection
    labels: Labels
    shadow: Shadow | None = None
    capture_output: bool = True
    record: str | None = None


def checked(
    endpoint: object,
    *,
    name: object,
    every: object,
    include: object,
    exclude: object,
    labels: object,
    shadow: object = None,
    capture_output: object = True,
    record: object = None,
) -> Arguments:
    """Return the arguments, or raise `TypeError` or `ValueError` saying what was expected."""
    check_labels(labels)
    if not isinstance(capture_output, bool):
        raise TypeError(f"capture_output: expected True or False, got {capture_output!r}")
    return Arguments(
        endpoint=_endpoint(endpoint),
        name=_name(name),
        every=_every(every),
        selection=Selection(_patterns("include", include), _patterns("exclude", exclude)),
        labels=labels,  # type: ignore[arg-type]
        shadow=checked_shadow(shadow),
        capture_output=capture_output,
        record=_record(record),
    )


def _endpoint(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"endpoint: expected a text such as '127.0.0.1:7787', got {value!r}")
    try:
        return resolve(value, {})
    except UsageError as error:
        raise ValueError(f"endpoint: {error}") from error


def _record(value: object) -> str | None:
    """The folder, whole: ranks may be started elsewhere, or change to another folder."""
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"record: expected a folder or None, got {value!r}")
    path = os.fsdecode(os.fspath(value))
    if not path.strip():
        raise ValueError("record: expected a folder, got an empty name")
    return str(Path(path).absolute())


def _name(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"name: expected a text or None, got {value!r}")
    if not 0 < len(value.strip()) <= len(value) <= LONGEST_NAME:
        raise ValueError(f"name: expected 1 to {LONGEST_NAME} characters, got {value!r}")
    return value


def _every(value: object) -> Every:
    if value == "auto":
        return "auto"
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"every: expected 'auto' or a number of steps, got {value!r}")
    if value < 1:
        raise ValueError(f"every: expected at least 1 step, got {value}")
    return value


def _patterns(argument: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Sequence) or not all(isinstance(each, str) for each in value):
        raise TypeError(
            f"{argument}: expected a pattern such as 'val_*', or several in a list, got {value!r}"
        )
    return tuple(value)
