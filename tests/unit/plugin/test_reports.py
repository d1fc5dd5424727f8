"""Messages say where the pass is, and fit the wire."""

from __future__ import annotations

import pytest
import torch

from ddpwatch.wire.codec import pack
from ddpwatch_lightning.passes import Pass
from ddpwatch_lightning.reports import progress, state


def under_way() -> Pass:
    at = Pass("validate", 3, 2, (4, 9))
    at.enter(1)
    at.step_begins(now=1.0)
    at.step_ends(5, 8, now=1.5)
    at.global_step = 77
    return at


def test_a_state_says_where_it_was_taken() -> None:
    said = state(under_way().position(), [], 6, final=True)
    pack(said)
    assert (said.stage, said.pass_, said.epoch, said.dataloader) == ("validate", 3, 2, 1)
    assert (said.step, said.steps, said.global_step) == (5, 9, 77)
    assert (said.batches, said.samples, said.declare, said.final) == (1, 8, 6, True)


@pytest.mark.parametrize(
    ("group", "rate"), [({"lr": 0.1}, 0.1), ({"lr": torch.tensor(0.1)}, None), ({}, None)]
)
def test_progress_says_how_far_it_is(group: dict[str, object], rate: float | None) -> None:
    said = progress(under_way().position(), group)
    pack(said)
    assert (said.stage, said.step, said.steps, said.samples) == ("validate", 5, 9, 8)
    assert (said.step_time, said.data_wait, said.lr) == (0.5, None, rate)
