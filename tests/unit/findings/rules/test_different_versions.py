"""DW404: other versions, or metrics in another order, case 40."""

from __future__ import annotations

from typing import Any

from ddpwatch.findings.rules.different_versions import find
from tests.unit.findings.builders import declared, evidence, hello, metric, nothing, the_only


def versions(*torchmetrics: str) -> Any:
    return evidence(
        hellos={r: hello(r, versions={"torchmetrics": v}) for r, v in enumerate(torchmetrics)}
    )


def test_versions_are_named_with_their_ranks() -> None:
    finding = the_only(find, versions("1.9.0", "1.2.0"))
    assert (finding.code, finding.severity) == ("DW404", "warning")
    assert "torchmetrics is 1.9.0 on rank 0, 1.2.0 on rank 1" in finding.message
    assert nothing(find, versions("1.9.0", "1.9.0"))


def orders(*paths: tuple[str, ...]) -> Any:
    return evidence(
        declares={r: declared(metrics=tuple(map(metric, those))) for r, those in enumerate(paths)}
    )


def test_another_order_of_a_collection() -> None:
    finding = the_only(find, orders(("c.f1", "c.recall"), ("c.recall", "c.f1")))
    assert (finding.key, finding.ranks) == ("", (1,))
    assert "c.recall where that one has c.f1" in finding.message


def test_same_order_and_a_declaration_still_to_come_are_left_alone() -> None:
    assert nothing(find, orders(("c.f1", "c.recall"), ("c.f1", "c.recall")))
    assert nothing(find, orders(("c.f1", "c.recall"), ("c.f1",)))
