"""What does a metric hold at the moment when somebody resets it? Told by `Metric.reset` itself."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from torchmetrics import Metric

OnReset: TypeAlias = Callable[[Metric], None]
"""Called with a metric that is about to drop its states; must not raise."""


class ResetTap:
    """A wrapper around `Metric.reset` of the class, in place only while somebody listens.

    Several Trainers of one process may listen at once. Where somebody else has wrapped the method
    meanwhile, this wrapper stays below theirs and only passes calls on.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: tuple[OnReset, ...] = ()
        self._original: Any = None
        self._wrapper: Any = None

    def listen(self, listener: OnReset) -> None:
        """Tell `listener` of every reset from now on."""
        with self._lock:
            self._listeners = (*self._listeners, listener)
            if not self._is_in_place():
                self._put_in_place()

    def forget(self, listener: OnReset) -> None:
        """Tell `listener` nothing any more; without listeners, the original method returns."""
        with self._lock:
            self._listeners = tuple(each for each in self._listeners if each != listener)
            if not self._listeners and Metric.reset is self._wrapper:
                Metric.reset = self._original  # type: ignore[method-assign]
                self._original = self._wrapper = None

    def _is_in_place(self) -> bool:
        method: Any = Metric.reset
        while method is not None:
            if method is self._wrapper:
                return True
            method = getattr(method, "__wrapped__", None)
        return False

    def _put_in_place(self) -> None:
        original = Metric.reset

        @functools.wraps(original)
        def reset(metric: Metric, *args: Any, **kwargs: Any) -> None:
            for listener in self._listeners:
                listener(metric)
            original(metric, *args, **kwargs)

        self._original, self._wrapper = original, reset
        Metric.reset = reset  # type: ignore[method-assign, assignment]


tap = ResetTap()
"""The one wrapper of this process."""
