"""DW203: unequal shares, case 24."""

from __future__ import annotations

from typing import Any

from ddpwatch.findings.rules.uneven import find
from tests.unit.findings.builders import (
    evidence,
    loader_pass,
    logged_row,
    nothing,
    state,
    taken,
    the_only,
)


def shares(*samples: int | None, rows: tuple[Any, ...] = (), final: bool = True) -> Any:
    states = [state(samples=n, final=final) for n in samples]
    return evidence(taken(*rows, loaders=[loader_pass(states)]))


def test_it_is_worth_a_warning_only_beside_an_unweighted_mean() -> None:
    finding = the_only(find, shares(6, 4))
    assert (finding.code, finding.severity) == ("DW203", "info")
    assert "rank 0 saw 6 samples, rank 1 4" in finding.message
    weighted = logged_row("v", [1.0, 2.0], [1.4, 1.4], reduction="mean-of-batches")
    assert the_only(find, shares(6, 4, rows=(weighted,))).severity == "info"
    plain = logged_row("v", [1.0, 2.0], [1.5, 1.5], reduction="mean-of-ranks")
    assert the_only(find, shares(6, 4, rows=(plain,))).severity == "warning"


def test_equal_unknown_or_unfinished_shares_are_left_alone() -> None:
    assert nothing(find, shares(5, 5))
    assert nothing(find, shares(5, None))
    assert nothing(find, shares(6, 4, final=False))
