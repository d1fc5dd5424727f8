"""When, before a moment, was said what still counted then? In nanoseconds, from events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ddpwatch.board.run import FRESH_PASSES
from ddpwatch.recording.merged import Kept
from ddpwatch.wire.messages import Event
from ddpwatch.wire.stamped import Stamped

NEAR = 2_000_000_000
"""Nanoseconds before a moment of which every message is taken."""

SHORT = 8_000_000_000
"""Nanoseconds of a pass that are read whole."""


class _Pass(NamedTuple):
    run: str
    stage: str
    pass_: int


class Span(NamedTuple):
    """When a pass began and ended; whether it was open then, and whether its stage's newest."""

    begin: int
    end: int
    is_open: bool
    is_newest: bool


def spans_of(lasting: Iterable[Kept], moment: int) -> Iterator[Span]:
    """The passes whose steps matter: all that were under way, and the newest of each stage."""
    begun: dict[_Pass, int] = {}
    running: defaultdict[_Pass, set[int]] = defaultdict(set)
    ended: dict[_Pass, int] = {}
    for at, _, rank, item in lasting:
        if not isinstance(item, Stamped) or not isinstance(body := item.envelope.body, Event):
            continue
        if body.stage is None:
            continue
        key = _Pass(item.envelope.run, body.stage, body.pass_)
        if body.kind == "pass_begin":
            begun.setdefault(key, at)
            running[key].add(rank)
        elif body.kind == "pass_end":
            running[key].discard(rank)
            ended[key] = at
    by_stage: defaultdict[tuple[str, str], list[_Pass]] = defaultdict(list)
    for key in begun:
        by_stage[key.run, key.stage].append(key)
    for keys in by_stage.values():
        for number, key in enumerate(reversed(keys)):
            if number < FRESH_PASSES or running[key]:
                is_open = bool(running[key])
                end = moment if is_open else ended.get(key, moment)
                yield Span(begun[key], end, is_open, number == 0)


def windows(spans: Sequence[Span], moment: int, *, exact: bool) -> Iterator[tuple[int, int]]:
    """What to read whole: the last seconds, and passes under way, or the last seconds of those."""
    yield moment - NEAR, moment
    for span in spans:
        if span.is_newest:
            # A rank sends its journal first, so its newest progress may come after the end.
            yield span.end - NEAR, min(span.end + NEAR, moment)
    under_way = sorted(span.begin for span in spans if span.is_open)
    for begin, following in pairwise([*under_way, moment]):
        # A pass within another one interrupts it: the outer one said its last just before.
        yield (begin if exact or following - begin <= SHORT else following - NEAR) - 1, following
