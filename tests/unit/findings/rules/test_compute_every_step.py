"""DW305: `compute()` in a step."""

from __future__ import annotations

from typing import Any

import pytest

from ddpwatch.findings.rules.compute_every_step import find
from tests.unit.findings.builders import evidence, logged_key, nothing, said, taken, the_only


def origin(**more: Any) -> Any:
    known = {"origin": "compute:f1", "calls": 3, **more}
    return taken(words=[said(logged_key("f1", **known))] * 2)


def test_it_is_told_once_for_all_ranks() -> None:
    finding = the_only(find, evidence(origin()))
    assert (finding.code, finding.severity, finding.key) == ("DW305", "info", "f1")
    assert "3 times so far" in finding.message


@pytest.mark.parametrize(
    "right",
    [
        origin(calls=1),
        origin(hook="on_validation_epoch_end"),
        origin(origin="forward:f1"),
        origin(origin=""),
    ],
)
def test_right_twins_are_left_alone(right: Any) -> None:
    assert nothing(find, evidence(right))


def test_one_process_waits_for_nobody() -> None:
    assert nothing(find, evidence(origin(), world_size=1))
