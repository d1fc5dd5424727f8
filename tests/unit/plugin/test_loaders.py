"""Steps by dataloader, whatever form Lightning has them in."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ddpwatch.wire.messages import Stage
from ddpwatch_lightning.loaders import steps_of

INFINITE = float("inf")


@pytest.mark.parametrize(
    ("stage", "attribute", "counts", "mode", "expected"),
    [
        ("train", "num_training_batches", 7, "max_size_cycle", (7,)),
        ("train", "num_training_batches", INFINITE, "max_size_cycle", (None,)),
        ("sanity_check", "num_sanity_val_batches", [2, 1], "sequential", (2, 1)),
        ("validate", "num_val_batches", [3, INFINITE, 0], "sequential", (3, None, 0)),
        ("validate", "num_val_batches", [3, 5], "min_size", (3,)),
        ("test", "num_test_batches", [3, 5], "max_size", (5,)),
        ("predict", "num_predict_batches", [4.0], "sequential", (4,)),
    ],
)
def test_steps(
    stage: Stage, attribute: str, counts: Any, mode: str, expected: tuple[int | None, ...]
) -> None:
    loop = SimpleNamespace(_combined_loader=SimpleNamespace(_mode=mode))
    trainer: Any = SimpleNamespace(_active_loop=loop, **{attribute: counts})
    assert steps_of(trainer, stage) == expected


def test_a_loop_that_does_not_tell_reads_its_loaders_in_turn() -> None:
    trainer: Any = SimpleNamespace(_active_loop=None, num_test_batches=[3, 5])
    assert steps_of(trainer, "test") == (3, 5)
