"""How is the newest message of its kind left for the publisher, at almost no cost?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ddpwatch.wire.messages import Body


class Latest(Protocol):
    """What of a publisher a slot needs."""

    def latest(self, slot: str, content: Callable[[], Body]) -> None:
        """Send a message unless another one for the same slot comes first."""


class Slot:
    """Holds what makes the newest message; the publisher is only told when it has taken the last.

    Where steps are faster than it looks, most of them then cost one assignment.
    """

    __slots__ = ("_is_waiting", "_make", "_name", "_publisher")

    def __init__(self, publisher: Latest, name: str) -> None:
        self._publisher = publisher
        self._name = name
        self._is_waiting = False
        self._make: Callable[[], Body]

    def put(self, make: Callable[[], Body]) -> None:
        """Replace what is in the slot; for the training thread."""
        self._make = make
        if not self._is_waiting:
            self._is_waiting = True
            self._publisher.latest(self._name, self)

    def __call__(self) -> Body:
        """Make the newest message; for the publisher's thread."""
        # First: whatever is put from here on is announced again, and nothing gets stuck.
        self._is_waiting = False
        return self._make()
