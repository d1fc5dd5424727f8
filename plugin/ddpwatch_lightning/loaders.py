"""How many batches will a stage take from each of its dataloaders?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ddpwatch.wire.messages import Stage
from ddpwatch_lightning.base import Trainer

_COUNTS: dict[Stage, str] = {
    "sanity_check": "num_sanity_val_batches",
    "train": "num_training_batches",
    "validate": "num_val_batches",
    "test": "num_test_batches",
    "predict": "num_predict_batches",
}


def steps_of(trainer: Trainer, stage: Stage) -> tuple[int | None, ...]:
    """Return the number of steps by dataloader; None where a loader has no length.

    Loaders that are read side by side count as one.
    """
    counts = getattr(trainer, _COUNTS[stage])
    if not isinstance(counts, Sequence):
        counts = [counts]
    mode = _mode(trainer)
    if mode != "sequential" and len(counts) > 1:
        counts = [min(counts) if mode == "min_size" else max(counts)]
    return tuple(None if math.isinf(count) else int(count) for count in counts)


def _mode(trainer: Trainer) -> str:
    """Return how Lightning combines the loaders of the stage that runs; it tells nobody else."""
    loop: Any = trainer._active_loop  # noqa: SLF001
    return getattr(getattr(loop, "_combined_loader", None), "_mode", "sequential")
