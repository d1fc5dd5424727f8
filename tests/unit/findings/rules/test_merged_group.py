"""DW308: one state for two settings."""

from __future__ import annotations

from typing import Any

import msgspec

from ddpwatch.findings.rules.merged_group import find
from tests.unit.findings.builders import (
    declared,
    evidence,
    loader_pass,
    metric,
    nothing,
    state,
    taken,
    the_only,
    updated,
)


def pair(one: dict[str, Any], other: dict[str, Any], group: int = 0) -> Any:
    metrics = (metric("low", params=one), metric("high", params=other, group=group))
    return evidence(declares={0: declared(metrics=metrics), 1: declared(metrics=metrics)})


def test_it_names_what_differs() -> None:
    finding = the_only(find, pair({"threshold": 0.5}, {"threshold": 0.6}))
    assert (finding.code, finding.severity, finding.key) == ("DW308", "warning", "high")
    assert "high and low share one state, with different threshold 0.6 and 0.5" in finding.message


def test_what_only_compute_uses_may_differ() -> None:
    assert nothing(find, pair({"average": "micro"}, {"average": "macro"}))
    assert nothing(find, pair({"threshold": 0.5}, {"threshold": 0.5}))
    assert nothing(find, pair({"threshold": 0.5}, {"threshold": 0.6}, group=-1))


def test_states_that_came_say_who_shares_one() -> None:
    """Groups form with the first update, after the metrics were declared."""
    follower = msgspec.structs.replace(updated(index=1), leader=0)
    metrics = metric("low", params={"threshold": 0.5}), metric("high", params={"threshold": 0.6})
    of = taken(loaders=[loader_pass([state(updated(index=0), follower)], *metrics)])
    assert the_only(find, evidence(of)).key == "high"
