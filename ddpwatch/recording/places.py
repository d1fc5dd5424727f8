"""Which moment does a word mean: an epoch, a step of it, a time from the start?"""

from __future__ import annotations

import re
from typing import NamedTuple

from ddpwatch.errors import UsageError
from ddpwatch.recording.channels import NUMBERS
from ddpwatch.recording.merged import between
from ddpwatch.recording.moments import to_nanoseconds, to_seconds
from ddpwatch.recording.recording import Recording
from ddpwatch.wire.messages import Event, Progress, State
from ddpwatch.wire.stamped import Stamped

_TIME = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:\.\d+)?)|(\d+(?:\.\d+)?)(ms|s|m|h)", re.ASCII)
_EPOCH = re.compile(r"(\d{1,9})(?:\s*:\s*(\d{1,15}))?", re.ASCII)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_STEPPING = {NUMBERS["progress"], NUMBERS["state.final"]}


EARLIER = 10.0
"""Seconds by which one rank may begin an epoch before another."""


class Place(NamedTuple):
    """What a word asks for: seconds from the start, or an epoch and perhaps a step of it."""

    seconds: float | None = None
    epoch: int | None = None
    step: int | None = None


def parse(word: str) -> Place:
    """Read `3`, `3:120` (epoch, step), `90s`, `1.5m`, `2h` or `1:02:03` (from the start).

    Two numbers with a colon are an epoch and a step; hours, minutes and seconds are three.

    Raises:
        UsageError: it is none of these.
    """
    text = word.strip().lower()
    if found := _EPOCH.fullmatch(text):
        epoch, step = found.groups()
        return Place(epoch=int(epoch), step=None if step is None else int(step))
    if found := _TIME.fullmatch(text):
        hours, minutes, seconds, count, unit = found.groups()
        if unit:
            return Place(seconds=float(count) * _UNITS[unit])
        return Place(seconds=int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds))
    raise UsageError(
        f"expected EPOCH, EPOCH:STEP, or a time as 90s, 12m or 1:02:03, got {word[:40]!r}"
    )


def find(recording: Recording, word: str) -> float:
    """Return the recorded moment that a word means, in seconds of wall time.

    Raises:
        UsageError: the word means nothing, or there is no such epoch or step.
    """
    place = parse(word)
    if place.seconds is not None:
        return min(recording.start + place.seconds, recording.end)
    stage, begins = _begins(recording)
    if place.epoch not in begins:
        there = f"it has {min(begins)} to {max(begins)}" if begins else "it has none"
        raise UsageError(f"expected an epoch of this recording, got {place.epoch}: {there}")
    begin = begins[place.epoch]
    if place.step is None:
        return begin
    later = min((at for at in begins.values() if at > begin), default=recording.end)
    return _step(recording, begin, later, place, stage)


def _begins(recording: Recording) -> tuple[str, dict[int, float]]:
    """When each epoch of the training had begun on all ranks that ever began it.

    Of a run without any, the first stage that there is.
    """
    begins: dict[str, dict[int, dict[int, float]]] = {}
    for kept in recording.index.upto(to_nanoseconds(recording.end)):
        body = kept.item.envelope.body if isinstance(kept.item, Stamped) else None
        if isinstance(body, Event) and body.kind == "pass_begin" and body.stage is not None:
            epochs = begins.setdefault(body.stage, {})
            epochs.setdefault(body.epoch, {}).setdefault(kept.rank, kept.item.at)
    begins.pop("sanity_check", None)
    stage = "train" if "train" in begins else next(iter(begins), "")
    epochs = begins.get(stage, {})
    return stage, {epoch: max(ranks.values()) for epoch, ranks in epochs.items()}


def _step(recording: Recording, begin: float, later: float, place: Place, stage: str) -> float:
    """When the last of the ranks that came so far came to a step of an epoch."""
    # From where the first rank may have begun: it does not wait for the last.
    first, last = to_nanoseconds(begin - EARLIER), to_nanoseconds(later)
    wanted = place.step or 0
    furthest, came = -1, dict[int, int]()
    for kept in between(recording.opened, first, last, recording.complain, _STEPPING):
        body = kept.item.envelope.body if isinstance(kept.item, Stamped) else None
        if not isinstance(body, Progress | State):
            continue
        if (body.stage, body.epoch) == (stage, place.epoch):
            furthest = max(furthest, body.step)
            if body.step >= wanted:
                came.setdefault(kept.rank, kept.at)
    if not came:
        raise UsageError(
            f"expected a step of epoch {place.epoch}, got {wanted}: it has 0 to {furthest}"
        )
    return to_seconds(max(came.values()))
