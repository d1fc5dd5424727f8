"""DW309: metrics that keep every sample."""

from __future__ import annotations

from typing import Any

from ddpwatch.findings.rules.unshipped_list import find
from tests.unit.findings.builders import (
    ListSize,
    array,
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


def held(tensor: Any, **params: Any) -> Any:
    auroc = metric("auroc", "BinaryAUROC", spec("preds", "cat", is_list=True), params=params)
    return evidence(taken(loaders=[loader_pass([state(updated(tensor))] * 2, auroc)]))


def test_it_offers_the_binned_variant_where_there_is_one() -> None:
    finding = the_only(find, held(ListSize(1000, 4000), thresholds=None))
    assert (finding.code, finding.severity, finding.key) == ("DW309", "info", "auroc")
    assert "1000 items, 4,000 bytes" in finding.message
    assert "BinaryAUROC(…, thresholds=200)" in finding.fix
    assert "no binned variant" in the_only(find, held(ListSize(10, 40))).fix


def test_shipped_and_empty_states_are_left_alone() -> None:
    assert nothing(find, held(array([[1, 2]])))
    assert nothing(find, held(ListSize(0, 0)))
