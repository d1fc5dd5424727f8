"""What went wrong inside a hook? Logged once a kind, counted, published, and never passed on."""

from __future__ import annotations

import logging
from collections.abc import Callable

log = logging.getLogger("ddpwatch")


class Failures:
    """The exceptions that did not leave a hook. `count` is read by the publisher's thread."""

    def __init__(self, publish: Callable[[str], None]) -> None:
        """Prepare; `publish` is given the text of the first failure of each kind."""
        self.count = 0
        self._publish = publish
        self._known: set[str] = set()

    def note_unfit(self, kind: str, text: str) -> None:
        """Count something that is not as the user said; the first of its kind is told, in words."""
        self.count += 1
        if kind not in self._known:
            self._known.add(kind)
            log.warning("ddpwatch: %s; training goes on", text)
            self._publish(text)

    def note(self, where: str, error: Exception) -> None:
        """Count an exception; the first of its kind is logged and published."""
        self.count += 1
        kind = f"{where}: {type(error).__name__}"
        if kind not in self._known:
            self._known.add(kind)
            log.warning("ddpwatch failed in %s; training goes on", kind, exc_info=error)
            try:
                self._publish(f"{kind}: {error}")
            except Exception:
                log.exception("ddpwatch could not tell of it")
