"""DW403: one NaN on one rank, case 18."""

from __future__ import annotations

from ddpwatch.findings.rules.nonfinite import find
from tests.unit.findings.builders import evidence, logged_key, nothing, said, taken, the_only


def test_it_says_how_many_of_how_many_where_and_since_when() -> None:
    words = [
        said(logged_key("loss", calls=3)),
        said(logged_key("loss", calls=3, nonfinite=1, nonfinite_step=0)),
    ]
    finding = the_only(find, evidence(taken(words=words)))
    assert (finding.code, finding.severity, finding.ranks) == ("DW403", "warning", (1,))
    assert "1 value of 6 is not finite, on rank 1, first on rank 1 at step 0" in finding.message


def test_finite_values_are_left_alone() -> None:
    assert nothing(find, evidence(taken(words=[said(logged_key("loss", calls=3))] * 2)))
