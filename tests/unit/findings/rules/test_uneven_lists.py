"""DW307: lists that will make `compute()` hang, case 38."""

from __future__ import annotations

from typing import Any

from ddpwatch.findings.rules.uneven_lists import find
from tests.unit.findings.builders import (
    ListSize,
    evidence,
    loader_pass,
    metric,
    nothing,
    spec,
    state,
    taken,
    the_only,
    updated,
)


def lists(*lengths: int, reduction: str = "none", step: int = 1) -> Any:
    held = metric("map", "MeanAveragePrecision", spec("boxes", reduction, is_list=True))
    states = [state(updated(ListSize(n, 8 * n)), step=step, steps=2) for n in lengths]
    return evidence(taken(loaders=[loader_pass(states, held)]))


def test_it_speaks_at_the_last_batch_before_compute() -> None:
    finding = the_only(find, lists(2, 1))
    assert (finding.code, finding.severity, finding.key) == ("DW307", "error", "map")
    assert "'boxes' has 2 items on rank 0, 1 on rank 1 at the last batch" in finding.message
    assert "self.map.boxes" in finding.fix


def test_equal_reduced_and_unfinished_lists_are_left_alone() -> None:
    assert nothing(find, lists(2, 2))
    assert nothing(find, lists(2, 1, reduction="cat"))
    assert nothing(find, lists(2, 1, step=0))
