"""How far is a run, how fast, and when will it be done?"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ddpwatch.board.rank import Rank
from ddpwatch.board.snapshot import StageProgress
from ddpwatch.wire.messages import Progress

STAGES = ("sanity_check", "train", "validate", "test", "predict")


def stage_progress(ranks: Collection[Rank], *, ended: bool) -> tuple[StageProgress, ...]:
    """How far the slowest rank is in each stage that has begun, in the order of a fit."""
    now = max((r.latest for r in ranks if r.latest), key=_order, default=None)
    return tuple(
        _slowest(found, running=not ended and now is not None and now.stage == stage)
        for stage in STAGES
        if (found := [r.progress[stage] for r in ranks if stage in r.progress])
    )


def steps_per_second(ranks: Iterable[Rank]) -> float | None:
    """From the mean duration of the latest step of each rank that says how long it took."""
    times = [r.latest.step_time for r in ranks if r.latest and r.latest.step_time]
    return len(times) / sum(times) if times else None


def remaining(
    ranks: Collection[Rank], started: float, first_epoch: int, now: float
) -> float | None:
    """Seconds until the last epoch of a fit ends, if the rest goes as fast as what was seen.

    None before a first part of an epoch is done, and where the number of epochs is not known.
    """
    train = [r.progress["train"] for r in ranks if "train" in r.progress]
    limits = [r.hello.max_epochs for r in ranks if r.hello and r.hello.max_epochs]
    if not train or not limits or min(limits) < 0:
        return None
    slowest = _slowest(train, running=True)
    if not slowest.steps:
        return None
    done = slowest.epoch + slowest.step / slowest.steps - first_epoch
    left = min(limits) - slowest.epoch - slowest.step / slowest.steps
    return max(0.0, (now - started) * left / done) if done > 0 else None


def _slowest(found: list[Progress], *, running: bool) -> StageProgress:
    newest = max(found, key=_order)
    same = [p for p in found if (p.pass_, p.dataloader) == (newest.pass_, newest.dataloader)]
    behind = len(same) < len(found)
    steps = max((p.steps for p in same if p.steps is not None), default=None)
    step = 0 if behind else min(p.step for p in same) + 1
    return StageProgress(
        stage=newest.stage,
        pass_=newest.pass_,
        epoch=newest.epoch,
        dataloader=newest.dataloader,
        step=step if steps is None else min(step, steps),
        steps=steps,
        running=running and (steps is None or step < steps),
    )


def _order(progress: Progress) -> tuple[int, int, int, int]:
    """Later comes higher; within one global step, validation follows the training step it is in."""
    return (
        progress.global_step,
        STAGES.index(progress.stage),
        progress.pass_,
        progress.dataloader,
    )
