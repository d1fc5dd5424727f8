"""How is a method of somebody's object heard, without the object becoming another one?"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

OnCall: TypeAlias = Callable[[str, tuple[Any, ...], Mapping[str, Any]], None]
"""Given a method's name and its arguments, before the call; must not raise."""

_inside = threading.local()


class Tapped:
    """An attribute of an instance that takes the place of its method and calls it.

    Only the outermost call of a thread is told of: what a logger's method does with the experiment
    is not the user's doing. A copy or pickle of the instance gets the method itself.
    """

    def __init__(self, name: str, original: Callable[..., Any], on_call: OnCall) -> None:
        functools.update_wrapper(self, original, updated=())
        self.name = name
        self.original = original
        self.on_call = on_call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Tell of the call, then do what the method does."""
        if getattr(_inside, "is_so", False):
            return self.original(*args, **kwargs)
        _inside.is_so = True
        try:
            self.on_call(self.name, args, kwargs)
            return self.original(*args, **kwargs)
        finally:
            _inside.is_so = False

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self.original,)


def tap_methods(target: Any, names: tuple[str, ...], on_call: OnCall) -> dict[str, Tapped]:
    """Put taps before those methods that `target` has; return them by name.

    Nothing is put on an object whose attributes cannot be set.
    """
    own = getattr(target, "__dict__", None)
    if not isinstance(own, dict):
        return {}
    taps = {
        name: Tapped(name, method, on_call)
        for name in names
        if callable(method := getattr(target, name, None)) and not isinstance(method, Tapped)
    }
    own.update(taps)
    return taps


def untap(target: Any, taps: Mapping[str, Tapped]) -> None:
    """Take away the taps that are still in place; whatever was there before returns."""
    own = target.__dict__
    for name, tap in taps.items():
        if own.get(name) is not tap:
            continue
        del own[name]
        if getattr(target, name, None) != tap.original:
            own[name] = tap.original


def _itself(method: Callable[..., Any]) -> Callable[..., Any]:
    return method
