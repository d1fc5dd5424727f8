"""How do a position and captured states become messages? On the publisher's thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ddpwatch.wire.messages import Progress, State
from ddpwatch_lightning.capture import Captured, merged
from ddpwatch_lightning.passes import Position


def state(
    position: Position,
    captures: Sequence[Captured],
    declare: int,
    *,
    final: bool = False,
    checksum: int = 0,
) -> State:
    """Return the states in `captures`, of each metric those with most updates."""
    return State(
        stage=position.stage,
        pass_=position.pass_,
        epoch=position.epoch,
        dataloader=position.dataloader,
        step=position.step,
        steps=position.steps,
        global_step=position.global_step,
        batches=position.batches,
        samples=position.samples,
        declare=declare,
        final=final,
        metrics=merged(captures),
        checksum=checksum,
    )


def progress(position: Position, group: Mapping[str, Any]) -> Progress:
    """Return how far the pass has come, with the learning rate of an optimizer's `group`."""
    rate = group.get("lr")
    return Progress(
        stage=position.stage,
        pass_=position.pass_,
        epoch=position.epoch,
        dataloader=position.dataloader,
        step=position.step,
        steps=position.steps,
        global_step=position.global_step,
        samples=position.samples or 0,
        step_time=position.step_seconds,
        data_wait=position.wait_seconds,
        before_collective=position.before_seconds,
        # A rate that is a tensor may lie on a GPU, where reading it would wait.
        lr=rate if isinstance(rate, float) else None,
    )
