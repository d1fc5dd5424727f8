"""In which hook and pass is the training thread, while somebody prints or calls a logger?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ddpwatch.wire.messages import Stage
from ddpwatch_lightning.passes import Pass


class Circumstance(NamedTuple):
    """A moment; `hook` is empty outside of all hooks, `stage` None outside of all passes."""

    stage: Stage | None
    pass_: int
    epoch: int
    hook: str


class Circumstances:
    """Knows the newest pass, and the hook that Lightning notes in the module while it runs."""

    __slots__ = ("_module", "_newest")

    def __init__(self, newest: Callable[[], Pass | None], module: Any) -> None:
        self._newest = newest
        self._module = module

    def now(self) -> Circumstance:
        """Return where the training thread is; for any thread."""
        hook = getattr(self._module, "_current_fx_name", None)
        try:
            at = self._newest()
        except RuntimeError:
            # Another thread asks just while a pass begins or ends.
            at = None
        if at is None:
            return Circumstance(None, 0, 0, hook or "")
        return Circumstance(at.stage, at.ordinal, at.epoch, hook or "")
