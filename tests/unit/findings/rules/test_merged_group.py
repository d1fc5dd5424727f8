"""DW308: one state for two settings."""

from __future__ import annotations

from typing import Any

from ddpwatch.findings.rules.merged_group import find
from ddpwatch.wire.messages import MetricState
from tests.unit.findings.builders import (
    array,
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


def test_groups_that_formed_with_the_first_update_are_seen_in_the_states() -> None:
    metrics = [metric(name, params={"threshold": t}) for name, t in (("low", 0.5), ("high", 0.9))]
    led = MetricState(metric=1, updates=1, fresh=1, leader=0)
    loader = loader_pass([state(updated(array([1])), led)] * 2, *metrics)
    finding = the_only(find, evidence(taken(loaders=[loader])))
    assert "different threshold 0.9 and 0.5" in finding.message
