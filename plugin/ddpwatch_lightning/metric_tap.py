"""How is a call of one of `Metric`'s methods noticed, whichever object it is called on?"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from torchmetrics import Metric

OnCall: TypeAlias = Callable[[Metric], Callable[[], object] | None]
"""Called with a metric before the method runs; may return what is to be called after. Neither may
raise."""


class MetricTap:
    """A wrapper around a method of the class `Metric`, in place only while somebody listens.

    Several Trainers of one process may listen at once. Where somebody else has wrapped the method
    meanwhile, this wrapper stays below theirs and only passes calls on.
    """

    def __init__(self, method: str) -> None:
        self._method = method
        self._lock = threading.Lock()
        self._listeners: tuple[OnCall, ...] = ()
        self._original: Any = None
        self._wrapper: Any = None

    def listen(self, listener: OnCall) -> None:
        """Tell `listener` of every call from now on."""
        with self._lock:
            self._listeners = (*self._listeners, listener)
            if not self._is_in_place():
                self._put_in_place()

    def forget(self, listener: OnCall) -> None:
        """Tell `listener` nothing any more; without listeners, the original method returns."""
        with self._lock:
            self._listeners = tuple(each for each in self._listeners if each != listener)
            if not self._listeners and getattr(Metric, self._method) is self._wrapper:
                setattr(Metric, self._method, self._original)
                self._original = self._wrapper = None

    def _is_in_place(self) -> bool:
        method: Any = getattr(Metric, self._method)
        while method is not None:
            if method is self._wrapper:
                return True
            method = getattr(method, "__wrapped__", None)
        return False

    def _put_in_place(self) -> None:
        original = getattr(Metric, self._method)

        @functools.wraps(original)
        def tapped(metric: Metric, *args: Any, **kwargs: Any) -> Any:
            afters = [after for each in self._listeners if (after := each(metric)) is not None]
            try:
                return original(metric, *args, **kwargs)
            finally:
                for after in afters:
                    after()

        self._original, self._wrapper = original, tapped
        setattr(Metric, self._method, tapped)
