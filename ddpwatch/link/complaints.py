"""What has this rank already complained about? Each kind of trouble is logged only once."""

from __future__ import annotations

import logging

log = logging.getLogger("ddpwatch")


class Complaints:
    """Warnings of one publisher, each kind at most once."""

    def __init__(self) -> None:
        self._made: set[str] = set()

    def warn(self, kind: str, text: str, *, error: BaseException | None = None) -> None:
        """Log a warning, with the traceback of `error` if given, unless its kind was logged."""
        if kind not in self._made:
            self._made.add(kind)
            log.warning(text, exc_info=error)
