"""Which recorded moment is it now? Pure: real time comes in, recorded time goes out."""

from __future__ import annotations

SLOWEST, FASTEST = 0.1, 1000.0


class ReplayClock:
    """Runs through [start, end] at some speed, from wherever it was put; recorded seconds."""

    def __init__(self, start: float, end: float, speed: float = 1.0) -> None:
        self.start = start
        self.end = end
        self.speed = 1.0
        self.paused = False
        self._at = start
        self._since: float | None = None
        self.set_speed(speed, 0.0)
        self._since = None

    def at(self, now: float) -> float:
        """Return the recorded moment; `now` is any steady clock, in seconds."""
        if self._since is None:
            self._since = now
        if self.paused:
            return self._at
        return min(self.end, self._at + max(0.0, now - self._since) * self.speed)

    def is_over(self, now: float) -> bool:
        """Whether it has come to the end."""
        return self.at(now) >= self.end

    def put(self, at: float, now: float) -> None:
        """Go on from another moment, kept within the recording."""
        self._at, self._since = min(max(at, self.start), self.end), now

    def pause(self, now: float) -> None:
        """Stand still."""
        self.put(self.at(now), now)
        self.paused = True

    def play(self, now: float) -> None:
        """Go on."""
        self.put(self.at(now), now)
        self.paused = False

    def set_speed(self, speed: float, now: float) -> None:
        """Run so many recorded seconds in one, from where it is."""
        self.put(self.at(now), now)
        self.speed = min(max(speed, SLOWEST), FASTEST)
