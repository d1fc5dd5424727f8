"""Do the formulas follow the version that the ranks run?"""

from __future__ import annotations

import pytest

from ddpwatch.metrics.rules import Rules, rules_of

OLDEST = Rules(top_k_weights=False, zero_division=False, safe_binary_jaccard=False)
NEWEST = Rules(top_k_weights=True, zero_division=True, safe_binary_jaccard=True)


@pytest.mark.parametrize("version", ["1.0.3", "1.3.1", "1.3", "0.11.4"])
def test_old_versions_have_the_old_rules(version):
    assert rules_of({"torchmetrics": version}) == OLDEST


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.3.2", Rules(top_k_weights=True, zero_division=False, safe_binary_jaccard=False)),
        ("1.4.0.post0", Rules(top_k_weights=True, zero_division=True, safe_binary_jaccard=False)),
        ("1.4.2", NEWEST),
        ("1.10.0rc1", NEWEST),
        ("2.0.0+local", NEWEST),
    ],
)
def test_each_change_has_its_first_version(version, expected):
    assert rules_of({"torchmetrics": version}) == expected


@pytest.mark.parametrize(
    "versions", [{}, {"torchmetrics": ""}, {"torchmetrics": "x"}, {"torchmetrics": "9" * 6000}]
)
def test_an_unknown_version_means_the_newest(versions):
    assert rules_of(versions) == NEWEST
