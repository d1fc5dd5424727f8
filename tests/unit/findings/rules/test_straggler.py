"""DW402: the rank that the others wait for."""

from __future__ import annotations

import pytest

from ddpwatch.findings.evidence import Pace
from ddpwatch.findings.rules.straggler import find
from tests.unit.findings.builders import evidence, nothing, the_only


def test_the_slow_one_is_that_with_most_work_of_its_own() -> None:
    paces = {0: Pace(0.05, 100), 1: Pace(0.15, 100), 2: Pace(0.05, 100)}
    finding = the_only(find, evidence(paces=paces, world_size=3))
    assert (finding.code, finding.severity, finding.ranks) == ("DW402", "info", (1,))
    assert "rank 1 works 150 ms" in finding.message
    assert "the rest need 50 ms" in finding.message


@pytest.mark.parametrize(
    "paces",
    [
        {0: Pace(0.05, 100), 1: Pace(0.06, 100)},
        {0: Pace(0.001, 100), 1: Pace(0.003, 100)},
        {0: Pace(0.05, 4), 1: Pace(0.15, 4)},
        {0: Pace(0.05, 100)},
    ],
)
def test_even_quick_and_few_steps_are_left_alone(paces: dict[int, Pace]) -> None:
    assert nothing(find, evidence(paces=paces))
