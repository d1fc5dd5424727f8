"""What does a screen draw? One frozen value: a snapshot, the view asked for, its age if paused."""

from __future__ import annotations

from dataclasses import dataclass, field

from textual.message import Message

from ddpwatch.board.snapshot import Finding, Playback, RowKey, RunView, Snapshot, View


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """`frozen_for` is how many seconds the display is behind, None while it is not paused.

    `waiting` is what to say before a first rank comes, where that is known better than how to
    start a training. `replay` is True where the source is a recording that can be steered.
    """

    snapshot: Snapshot | None = None
    view: View = field(default_factory=View)
    frozen_for: float | None = None
    waiting: str = ""
    replay: bool = False

    @property
    def playback(self) -> Playback | None:
        """Where the recording stands, if the source is one."""
        return None if self.snapshot is None else self.snapshot.playback

    @property
    def run(self) -> RunView | None:
        """The run in view."""
        return None if self.snapshot is None else self.snapshot.run


class RowChosen(Message):
    """The user put the cursor on a row; its series is wanted."""

    def __init__(self, row: RowKey) -> None:
        super().__init__()
        self.row = row


class TimeWanted(Message):
    """The user wants to go to a recorded time."""

    def __init__(self, at: float) -> None:
        super().__init__()
        self.at = at


class RowWanted(Message):
    """The user wants to see the row that a finding is about."""

    def __init__(self, finding: Finding) -> None:
        super().__init__()
        self.finding = finding
