"""The second line: how far is each stage, and when will the run be done?"""

from __future__ import annotations

from ddpwatch.board.snapshot import RunView, StageProgress
from ddpwatch.numbers import clock, count
from ddpwatch.tui.widgets.tones import Span, Spans, spread, width_of

LONGEST, SHORTEST = 24, 5
"""Cells of a bar."""

DONE, OPEN = "━", "─"


def progress_spans(run: RunView, width: int) -> Spans:
    """Return the line: the epoch, a bar for every stage, what is left.

    Bars become shorter, then vanish, then stages that do not run go, where room is short.
    """
    epoch = _epoch(run)
    eta = (Span("ETA ", "muted"), Span(clock(run.eta)), Span(" ")) if run.eta is not None else ()
    stages = list(run.progress)
    room = width - width_of(epoch) - width_of(eta) - 3
    while len(stages) > 1 and _needed(stages) > room:
        stages.remove(next((s for s in stages if not s.running), stages[0]))
    if _needed(stages) > room:
        room += width_of(epoch) + width_of(eta)
        epoch = eta = ()
    bars = [stage for stage in stages if stage.steps]
    spare = (room - _needed(stages)) // max(len(bars), 1) - 1
    length = min(spare, LONGEST) if spare >= SHORTEST else 0
    left = [*epoch]
    for stage in stages:
        left += [Span("   "), *_stage(stage, length)]
    return spread(left, eta, width)


def bar(done: int, steps: int, length: int) -> tuple[str, str]:
    """The done and the open part of a bar; full only when everything is done.

    >>> bar(8, 12, 6)
    ('━━━━', '──')
    """
    filled = length if done >= steps else min(length - 1, done * length // steps)
    return DONE * filled, OPEN * (length - filled)


def _epoch(run: RunView) -> Spans:
    spans = [Span(" epoch ", "muted"), Span(str(run.epoch))]
    if run.max_epochs is not None and run.max_epochs > 0:
        spans.append(Span(f" ({min(run.epoch + 1, run.max_epochs)}/{run.max_epochs})", "muted"))
    return tuple(spans)


def _needed(stages: list[StageProgress]) -> int:
    return sum(3 + width_of(_stage(stage, 0)) for stage in stages)


def _stage(stage: StageProgress, length: int) -> Spans:
    name = Span(f"{stage.stage.replace('_', ' ')} ", "strong" if stage.running else "muted")
    if stage.steps is None:
        return name, Span(f"{count(stage.step)} steps", "plain" if stage.running else "muted")
    numbers = Span(f"{stage.step}/{stage.steps}", "plain" if stage.running else "muted")
    if not length or not stage.steps:
        return name, numbers
    done, rest = bar(stage.step, stage.steps, length)
    return (
        name,
        Span(done, "good" if stage.running else "muted"),
        Span(f"{rest} ", "faint"),
        numbers,
    )
