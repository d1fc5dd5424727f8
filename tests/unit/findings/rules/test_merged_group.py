"""DW308: one state for two settings."""

from __future__ import annotations

from typing import Any

from ddpwatch.findings.rules.merged_group import find
from tests.unit.findings.builders import declared, evidence, metric, nothing, the_only


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
