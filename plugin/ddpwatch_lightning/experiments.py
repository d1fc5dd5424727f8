"""When does a logger's `experiment` come to light, so that its methods can be heard?

Nothing asks for it early, since on rank 0 that makes folders or starts a run. The property of the
logger's class is wrapped instead, as long as somebody listens, and tells of what it returned. The
instance cannot do that by itself, and must neither change its class nor be replaced by a stand-in,
for loggers are pickled, compared and tested for their type.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeAlias

OnExperiment: TypeAlias = Callable[[Any], None]
"""Given what `logger.experiment` has returned, each time; must not raise."""

_lock = threading.Lock()
_doors: dict[type, Door] = {}


class Door:
    """The wrapped `experiment` of one class; knows which instances are listened to."""

    def __init__(self, cls: type, original: property) -> None:
        self.cls = cls
        self.listeners: dict[int, OnExperiment] = {}
        self._original = original
        self._wrapper = property(self._get, original.fset, original.fdel, original.__doc__)

    def open(self) -> None:
        """Put the wrapper in place."""
        self.cls.experiment = self._wrapper  # type: ignore[attr-defined]

    def close(self) -> None:
        """Put the original back, unless somebody else has replaced the wrapper."""
        if vars(self.cls).get("experiment") is self._wrapper:
            self.cls.experiment = self._original  # type: ignore[attr-defined]

    def _get(self, logger: Any) -> Any:
        get = self._original.fget
        experiment = get(logger) if get else None
        listener = self.listeners.get(id(logger))
        if listener is not None:
            listener(experiment)
        return experiment


def listen(logger: Any, listener: OnExperiment) -> None:
    """Tell `listener` of the experiment of `logger`, whenever somebody asks the logger for it."""
    for cls in type(logger).__mro__:
        original = vars(cls).get("experiment")
        if original is None:
            continue
        if isinstance(original, property):
            with _lock:
                if cls not in _doors:
                    _doors[cls] = Door(cls, original)
                    _doors[cls].open()
                _doors[cls].listeners[id(logger)] = listener
        return
    if "experiment" in getattr(logger, "__dict__", {}):
        listener(logger.experiment)


def forget(logger: Any) -> None:
    """Tell nobody any more; the last to go puts the class back as it was."""
    with _lock:
        for cls in type(logger).__mro__:
            door = _doors.get(cls)
            if door is None:
                continue
            door.listeners.pop(id(logger), None)
            if not door.listeners:
                _doors.pop(cls).close()
