"""DW405: one rank twice, or a world that is too small."""

from __future__ import annotations

from ddpwatch.findings.rules.rival import find
from tests.unit.findings.builders import evidence, hello, info, nothing, the_only


def test_second_claimant() -> None:
    finding = the_only(find, evidence(ranks=(info(0, conflict=True), info(1))))
    assert (finding.code, finding.severity, finding.ranks) == ("DW405", "error", (0,))
    assert "pid 100 on n0" in finding.message


def test_world_smaller_than_launched() -> None:
    alone = hello(world_size=1, launched_world_size=4)
    finding = the_only(find, evidence(hellos={0: alone}))
    assert "started 4 processes, torch's world has 1" in finding.message


def test_right_twins_are_left_alone() -> None:
    assert nothing(find, evidence(ranks=(info(0), info(1))))
    assert nothing(find, evidence(hellos={0: hello(launched_world_size=2)}))
    assert nothing(find, evidence(hellos={0: hello(launched_world_size=None)}))
