"""How fast did a run train? From when its ranks say that passes began and ended."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ddpwatch.wire.messages import Event, Progress, State
from ddpwatch.wire.stamped import Item, Stamped


class Pace(NamedTuple):
    """Of one rank on average, without what was validated in between; None where not known.

    `seconds_per_epoch` is from the begin to the end of a training epoch, with all that is in it.
    """

    steps_per_second: float | None = None
    seconds_per_epoch: float | None = None


class _Place(NamedTuple):
    """One pass of one process; its clock is its own."""

    rank: int
    claim: str
    stage: str
    pass_: int


@dataclass(slots=True)
class _Span:
    """When a pass began and ended on its rank's clock, and how many steps it took in all."""

    begin: float | None = None
    end: float | None = None
    steps: dict[int, int] = field(default_factory=dict)

    @property
    def seconds(self) -> float | None:
        """How long it took, if begin and end are known."""
        if self.begin is None or self.end is None or self.end <= self.begin:
            return None
        return self.end - self.begin


class Stopwatch:
    """Folds items, of which it looks at begins, ends and last steps only; order does not matter."""

    def __init__(self) -> None:
        self._runs: defaultdict[str, dict[_Place, _Span]] = defaultdict(dict)

    def fold(self, items: Iterable[Item]) -> None:
        """Take in a batch."""
        for item in items:
            if not isinstance(item, Stamped):
                continue
            body = item.envelope.body
            if isinstance(body, Event | Progress | State) and body.stage is not None:
                envelope = item.envelope
                place = _Place(envelope.rank, envelope.claim, body.stage, body.pass_)
                _note(self._runs[envelope.run].setdefault(place, _Span()), body)

    def pace(self, run: str) -> Pace:
        """Return how fast a run was, from the passes of which begin and end are known."""
        processes: defaultdict[tuple[int, str], list[tuple[str, _Span]]] = defaultdict(list)
        for place, span in self._runs.get(run, {}).items():
            if span.seconds is not None:
                processes[place.rank, place.claim].append((place.stage, span))
        epochs = [s for spans in processes.values() for stage, s in spans if stage == "train"]
        whole = sum(span.seconds or 0.0 for span in epochs)
        training = whole - sum(map(_interrupted, processes.values()))
        steps = sum(sum(span.steps.values()) for span in epochs)
        return Pace(
            steps_per_second=steps / training if steps and training > 0 else None,
            seconds_per_epoch=whole / len(epochs) if epochs else None,
        )


def _note(span: _Span, body: Event | Progress | State) -> None:
    if isinstance(body, Event):
        if body.kind == "pass_begin":
            span.begin = body.at
        elif body.kind == "pass_end":
            span.end = body.at
        return
    known = span.steps.get(body.dataloader, 0)
    span.steps[body.dataloader] = max(known, body.step + 1)


def _interrupted(spans: list[tuple[str, _Span]]) -> float:
    """Seconds of one process's training epochs that other stages took."""
    epochs = sorted((s.begin or 0.0, s.end or 0.0) for stage, s in spans if stage == "train")
    begins = [begin for begin, _ in epochs]
    taken = 0.0
    for stage, span in spans:
        around = bisect_right(begins, span.begin or 0.0) - 1
        if stage != "train" and around >= 0:
            taken += max(0.0, min(span.end or 0.0, epochs[around][1]) - (span.begin or 0.0))
    return taken
