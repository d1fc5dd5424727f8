"""Where does each key of a replay lead? Pure, but for `carry_out`, which tells the controls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

from ddpwatch.board.snapshot import Playback
from ddpwatch.tui.controls import Controls

What: TypeAlias = Literal["play", "step", "epoch", "finding", "speed"]

SPEEDS = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 500.0, 1000.0)

SAME_PLACE = 0.05
"""Recorded seconds within which two marks, or a mark and the position, are one place."""

JUST_ARRIVED = 1.0
"""Seconds of playing on during which one who went to a mark still counts as being there."""


def next_speed(speed: float, by: int) -> float:
    """The next faster (`by` 1) or slower (-1) one; at the ends the same.

    >>> next_speed(1.0, 1), next_speed(3.0, -1), next_speed(1000.0, 1)
    (2.0, 2.0, 1000.0)
    """
    if by > 0:
        return next((each for each in SPEEDS if each > speed * 1.001), SPEEDS[-1])
    return next((each for each in reversed(SPEEDS) if each < speed * 0.999), SPEEDS[0])


def next_place(playback: Playback, kind: Literal["epoch", "finding"], by: int) -> float | None:
    """The time of the next (`by` 1) or previous (-1) mark of a kind; None where there is none.

    One who has just arrived at a mark goes on to the one before it. Before the first epoch there is
    the begin of the recording.
    """
    places = list(_places(playback, kind))
    if by > 0:
        return next((at for at in places if at > playback.at + SAME_PLACE), None)
    passed = [at for at in places if at <= playback.at + SAME_PLACE]
    if passed and playback.at - passed[-1] <= _near(playback):
        passed.pop()
    if passed:
        return passed[-1]
    far = playback.at - playback.start > SAME_PLACE
    return playback.start if kind == "epoch" and far else None


def carry_out(what: What, by: int, playback: Playback, controls: Controls) -> Playback | str:
    """Tell the controls what a key asks for; where to expect the replay then, or why not to go."""
    if what == "play":
        controls.toggle()
        return replace(playback, paused=not playback.paused)
    if what == "step":
        controls.step(by)
        return replace(playback, paused=True)
    if what == "speed":
        speed = next_speed(playback.speed, by)
        controls.set_speed(speed)
        return replace(playback, speed=speed)
    at = next_place(playback, what, by)
    if at is None:
        return _nothing(what, by, playback)
    controls.seek(at)
    return replace(playback, at=at)


def _places(playback: Playback, kind: str) -> Iterator[float]:
    """Times of the marks of a kind, those that are one place told once."""
    last: float | None = None
    for mark in playback.marks:
        if mark.kind == kind and (last is None or mark.at - last > SAME_PLACE):
            last = mark.at
            yield last


def _near(playback: Playback) -> float:
    return SAME_PLACE if playback.paused else max(SAME_PLACE, JUST_ARRIVED * playback.speed)


def _nothing(what: str, by: int, playback: Playback) -> str:
    if what == "epoch" and by < 0:
        return "this is the begin of the recording"
    name = "end of an epoch" if what == "epoch" else "finding"
    yet = "" if playback.is_whole else "; marks are still being looked for"
    return f"no {'later' if by > 0 else 'earlier'} {name}{yet}"
