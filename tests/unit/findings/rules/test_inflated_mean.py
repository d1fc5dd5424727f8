"""DW108: the sample count that was cut to an integer, case 3."""

from __future__ import annotations

import pytest

from ddpwatch.findings.rules.inflated_mean import find
from tests.unit.findings.builders import (
    evidence,
    logged_key,
    logged_row,
    nothing,
    said,
    taken,
    the_only,
)


def two_ranks(weights: tuple[int, int], reduction: str, value: float) -> object:
    row = logged_row("v", [0.8222, 0.4444], [value] * 2, sync_dist=True, reduction=reduction)
    first, second = (
        said(logged_key("v", weighted_sum=weight * mean, weight=weight))
        for weight, mean in zip(weights, (0.82222, 0.44444), strict=True)
    )
    return evidence(taken(row, words=[first, second]))


def test_it_says_the_factor_the_counts_and_the_mean() -> None:
    finding = the_only(find, two_ranks((5, 4), "mean-of-batches-floored", 0.7361))
    assert (finding.code, finding.severity) == ("DW108", "warning")
    for told in ("0.7361", "x1.125", "9 samples on 2 ranks are 4.5 each, cut to 4", "0.6543"):
        assert told in finding.message


@pytest.mark.parametrize(
    ("weights", "reduction"),
    [((5, 5), "mean-of-batches"), ((5, 5), "mean-of-batches-floored"), ((5, 4), "mean-of-batches")],
)
def test_even_counts_and_unfloored_means_are_left_alone(
    weights: tuple[int, int], reduction: str
) -> None:
    assert nothing(find, two_ranks(weights, reduction, 0.64))


def test_sixteen_ranks_of_44_samples_are_a_third_too_large() -> None:
    counts = [3] * 12 + [2] * 4
    row = logged_row(
        "v", [1.0] * 16, [1.375] * 16, sync_dist=True, reduction="mean-of-batches-floored"
    )
    words = [said(logged_key("v", weighted_sum=n, weight=n)) for n in counts]
    assert "x1.375" in the_only(find, evidence(taken(row, words=words), world_size=16)).message
