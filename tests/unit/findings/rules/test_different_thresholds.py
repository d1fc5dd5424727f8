"""DW205: another best threshold on each rank."""

from __future__ import annotations

from typing import Any

from ddpwatch.board.snapshot import RowKey
from ddpwatch.findings.rules.different_thresholds import find
from tests.unit.findings.builders import (
    NAN,
    evidence,
    loader_pass,
    measured_row,
    nothing,
    state,
    taken,
    the_only,
)


def thresholds(*values: float, final: bool = True) -> Any:
    rows = [measured_row(RowKey("pr", "best_threshold", 0), values, 0.4, label="even")]
    return evidence(taken(loaders=[loader_pass([state(final=final)] * 2, rows=rows)]))


def test_each_ranks_threshold_is_beside_the_one_over_all() -> None:
    finding = the_only(find, thresholds(0.3, 0.55))
    assert (finding.code, finding.severity, finding.key) == ("DW205", "info", "pr")
    assert "for even: best threshold 0.4 over all ranks; rank 0 has 0.3, rank 1 has 0.55" in (
        finding.message
    )


def test_equal_and_missing_thresholds_are_left_alone() -> None:
    assert nothing(find, thresholds(0.4, 0.4))
    assert nothing(find, thresholds(0.4, NAN))
    assert nothing(find, thresholds(0.3, 0.5, final=False))
