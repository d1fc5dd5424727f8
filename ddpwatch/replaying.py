"""What joins a recording and a screen, or a report of how it went?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ddpwatch import serving
from ddpwatch.board.snapshot import Snapshot
from ddpwatch.errors import DDPWatchError
from ddpwatch.feed import SourceFeed
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.recording.library import listed, recordings_folder
from ddpwatch.recording.listing import Listed, table
from ddpwatch.recording.listing import listed as described
from ddpwatch.recording.places import find
from ddpwatch.recording.player import Player
from ddpwatch.recording.recording import Recording
from ddpwatch.report.recorded import in_looks
from ddpwatch.text import visible
from ddpwatch.wire.stamped import Item


def dashboard(recording: Recording, name: str, *, speed: float, at: str) -> None:
    """Play a recording, which is open, on the same screens as a live run.

    Raises:
        UsageError: there is no place `at`.
        DDPWatchError: it cannot be read; the screen is closed by then.
    """
    from ddpwatch.tui.app import WatchApp  # noqa: PLC0415 - headless needs no Textual

    if at:
        find(recording, at)
    player = Player(recording, speed=speed, at=at)
    intake = serving.make_intake(name, Diagnosis(looks=not recording.is_told))

    def dress(snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, playback=player.playback)

    trouble = WatchApp(SourceFeed(player, intake, dress), controls=player).run()
    if trouble:
        raise DDPWatchError(str(trouble))


def headless(recording: Recording, *, at: str, form: str) -> None:
    """Tell on stderr how it went, as fast as it can be read, and print the report at the end.

    With `at`, only the report of what was known there.

    Raises:
        UsageError: there is no such place.
    """
    source = Straight(recording, at)
    diagnosis = Diagnosis(looks=not recording.is_told)
    serving.narrate(source, "", diagnosis, once=False, form=form)
    if recording.is_cut_short:
        serving.say("the recording was cut short: what came after its last whole second is missing")
    for note in recording.notes:
        serving.say(visible(note))


class Straight:
    """A recording from its begin to its end, or what was known at one place, without any wait."""

    def __init__(self, recording: Recording, at: str = "") -> None:
        """`recording` is open."""
        self._recording = recording
        self._place = find(recording, at) if at else None
        self._is_stopped = False

    def batches(self) -> Iterator[Sequence[Item]]:
        """Yield everything, a quarter of a recorded second at a time."""
        if self._place is not None:
            yield self._recording.at(self._place, exact=True)
            return
        for batch in in_looks(self._recording.items()):
            if self._is_stopped:
                return
            yield batch

    def stop(self) -> None:
        """End `batches`."""
        self._is_stopped = True


def show_list(folder: Path | None) -> None:
    """Print a line for every recording below a folder, or where they are by default."""
    where = folder or recordings_folder(os.environ)
    lines = [line for name, parts in listed(where) for line in _described(name, Recording(parts))]
    if lines:
        serving.print_out(table(lines))
    else:
        serving.say(f"no recordings in {where}; `ddpwatch serve` makes them")


def _described(name: str, recording: Recording) -> Iterator[Listed]:
    try:
        with recording:
            yield described(name, recording)
    except DDPWatchError as error:
        serving.say(visible(str(error)))
