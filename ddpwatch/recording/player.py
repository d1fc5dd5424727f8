"""What does a replay yield, and when? A source like the hub, steered from any thread.

It plays the recording's items as its clock comes to them. Going elsewhere, back or forward, is a
`Restart` and what suffices to know what was known there. Where more messages lie between two looks
at the clock than can be folded in the meantime, it passes over those that newer ones replace.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import final

from ddpwatch.board.snapshot import Mark, Playback
from ddpwatch.errors import UsageError
from ddpwatch.recording.clock import ReplayClock
from ddpwatch.recording.flow import Flow
from ddpwatch.recording.places import find
from ddpwatch.recording.recording import Recording
from ddpwatch.wire.stamped import Item

TURN = 0.03
"""Seconds between two looks at the clock."""

INDEXING = 0.01
"""Seconds of a turn that go into the index, as long as it is not whole."""


@final
class Player:
    """Plays one recording; open from `batches` to the end of it."""

    def __init__(
        self,
        recording: Recording,
        *,
        speed: float = 1.0,
        at: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`recording` is open already, and only touched by whoever iterates `batches`."""
        self._recording = recording
        self._now = clock
        self._clock = ReplayClock(recording.start, recording.end, speed)
        self._flow = Flow(recording)
        self._orders: queue.SimpleQueue[Callable[[], Sequence[Item]]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._said = ""
        self._parts = tuple(Mark(each, "part", "part") for each in recording.starts[1:])
        self.playback = self._playback()
        if at:
            self._orders.put(lambda: self._go(find(recording, at)))

    def batches(self) -> Iterator[Sequence[Item]]:
        """Yield what the clock has come to, many times a second, until `stop` is called."""
        while not self._stopping.is_set():
            items = self._turn()
            self.playback = self._playback()
            yield items
            if self._orders.empty():
                self._stopping.wait(TURN)

    def stop(self) -> None:
        """End `batches`; for any thread."""
        self._stopping.set()

    def toggle(self) -> None:
        """Pause, or go on; at the end, begin again."""
        self._orders.put(self._toggle)

    def set_speed(self, speed: float) -> None:
        """Play so many recorded seconds in one second."""
        self._orders.put(lambda: self._set_speed(speed))

    def seek(self, at: float) -> None:
        """Go to a recorded time, kept within the recording."""
        self._orders.put(lambda: self._go(at))

    def jump(self, place: str) -> None:
        """Go to the place that a word means; what is not there is told in `Playback.notes`."""
        self._orders.put(lambda: self._jump(place))

    def step(self, by: int) -> None:
        """Pause, and go on or back by so many steps of the ranks."""
        self._orders.put(lambda: self._step(by))

    def _turn(self) -> Sequence[Item]:
        items: list[Item] = []
        while not self._orders.empty():
            items += self._orders.get()()
        if not self._clock.paused:
            items += self._flow.upto(self._clock.at(self._now()))
        if not self._recording.index.is_whole:
            until = self._now() + INDEXING
            self._recording.index.grow(lambda: self._now() >= until)
        if self._clock.is_over(self._now()):
            self._clock.pause(self._now())
        return items

    def _toggle(self) -> Sequence[Item]:
        now = self._now()
        if not self._clock.paused:
            self._clock.pause(now)
            return ()
        self._clock.play(now)
        return self._go(self._clock.start) if self._clock.is_over(now) else ()

    def _set_speed(self, speed: float) -> Sequence[Item]:
        self._clock.set_speed(speed, self._now())
        return ()

    def _go(self, at: float) -> Sequence[Item]:
        self._said = ""
        self._clock.put(at, self._now())
        return self._flow.at(self._clock.at(self._now()))

    def _jump(self, place: str) -> Sequence[Item]:
        try:
            return self._go(find(self._recording, place))
        except UsageError as error:
            self._said = str(error)
            return ()

    def _step(self, by: int) -> Sequence[Item]:
        self._clock.pause(self._now())
        at, items = self._flow.stepped(by)
        self._clock.put(at, self._now())
        return items

    def _notes(self) -> tuple[str, ...]:
        cut = "cut short: its writer was stopped" if self._recording.is_cut_short else ""
        return tuple(filter(None, (self._said, cut, *self._recording.notes)))

    def _playback(self) -> Playback:
        recording, clock, now = self._recording, self._clock, self._now()
        marks = recording.index.marks
        if self._parts:
            marks = tuple(sorted((*marks, *self._parts), key=lambda mark: mark.at))
        return Playback(
            start=clock.start,
            end=clock.end,
            at=clock.at(now),
            speed=clock.speed,
            paused=clock.paused,
            marks=marks,
            is_whole=recording.index.is_whole,
            notes=self._notes(),
        )
