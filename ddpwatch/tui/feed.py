"""Where do snapshots come from? What the app needs of a source, and the messages it arrives as."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from textual.message import Message

from ddpwatch.board.snapshot import Snapshot, View


class Feed(Protocol):
    """Makes snapshots on demand, in a thread of its own."""

    def start(
        self,
        deliver: Callable[[Snapshot], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """Start the thread; both functions are called from it."""
        ...

    def request(self, view: View) -> None:
        """Ask for a snapshot of `view` soon, from any thread; a newer request replaces it."""
        ...

    def stop(self) -> None:
        """Stop and join the thread."""
        ...


class SnapshotArrived(Message):
    """The feed delivered; only the newest counts."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self.snapshot = snapshot

    def can_replace(self, message: Message) -> bool:
        """A burst collapses into its last snapshot."""
        return isinstance(message, SnapshotArrived)


class FeedFailed(Message):
    """The feed's thread ended with an error."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error
