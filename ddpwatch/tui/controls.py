"""What can a screen ask of a replay? Every call returns at once; the next snapshot shows it."""

from __future__ import annotations

from typing import Protocol


class Controls(Protocol):
    """Steers the source of a feed that plays a recording; for any thread."""

    def toggle(self) -> None:
        """Pause, or go on; at the end, begin again."""
        ...

    def set_speed(self, speed: float) -> None:
        """Play so many recorded seconds in one second, 0.1 to 1000."""
        ...

    def seek(self, at: float) -> None:
        """Go to a recorded time, kept within the recording."""
        ...

    def jump(self, place: str) -> None:
        """Go to `EPOCH`, `EPOCH:STEP`, or a time from the start as `90s`, `12m`, `1:02:03`.

        What cannot be found is told in `Playback.notes` of the next snapshots.
        """
        ...

    def step(self, by: int) -> None:
        """Pause, and go on or back by so many steps of the ranks."""
        ...
