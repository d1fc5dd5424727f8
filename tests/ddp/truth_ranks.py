"""What does one real rank hold, and what does torchmetrics say there, alone and synchronised?"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch.distributed as dist

from ddpwatch.wire.messages import TrackedMetric
from tests.ddp import truth_cases as cases


@dataclass(frozen=True)
class Measured:
    """One case on one rank. `updates` is 0 on a rank that saw no sample."""

    metric: TrackedMetric
    states: list[Any]
    updates: int
    local: np.ndarray | None
    synchronised: np.ndarray | None


def measure_all(seeds: Sequence[int]) -> list[Measured]:
    """Join the process group, and measure every case in the same order as all other ranks."""
    warnings.simplefilter("ignore")
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    try:
        return [_measure(cases.draw(seed, world_size), rank) for seed in seeds]
    finally:
        dist.destroy_process_group()


def _measure(case: cases.Case, rank: int) -> Measured:
    metric = cases.build(case)
    cases.feed(metric, case, rank)
    track, states = cases.track(metric), cases.arrays(metric)
    updates = metric._update_count
    if any(spec.is_list for spec in track.states):
        return Measured(track, states, updates, None, None)
    local = cases.compute(metric, sync=False)
    return Measured(track, states, updates, local, cases.compute(metric, sync=True))
