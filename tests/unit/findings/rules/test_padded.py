"""DW201: samples that the sampler repeated, case 20."""

from __future__ import annotations

from typing import Any

import pytest

from ddpwatch.board.snapshot import PassKey, RowKey
from ddpwatch.findings.rules.padded import find
from tests.unit.findings.builders import (
    KEY,
    Loader,
    array,
    declared,
    evidence,
    loader_pass,
    measured_row,
    metric,
    nothing,
    spec,
    state,
    taken,
    the_only,
    updated,
)

COUNTS = tuple(spec(name) for name in ("tp", "fp", "tn", "fn"))


def five_samples(samples: tuple[int, int] = (3, 3), key: PassKey = KEY, **loader: Any) -> Any:
    f1 = metric("f1", "BinaryF1Score", *COUNTS)
    shards = ((1, 1, 0, 1), (1, 1, 1, 0))
    states = [
        state(updated(*(array([n]) for n in counts)), samples=n, key=key, final=True)
        for counts, n in zip(shards, samples, strict=True)
    ]
    row = measured_row(RowKey("f1", "f1"), [0.5, 2 / 3], 0.5714, average="")
    known = {"stage": "validate", "length": 5, "total": 6, "replicas": 2, **loader}
    return evidence(
        taken(loaders=[loader_pass(states, f1, rows=[row], key=key)], key=key),
        declares={0: declared(loaders=(Loader(**known),))},
    )


def test_it_counts_the_repeated_ones_and_says_what_they_may_have_done() -> None:
    finding = the_only(find, five_samples())
    assert (finding.code, finding.severity) == ("DW201", "warning")
    assert "6 samples counted, 5 in the set: 1 sample repeated by padding" in finding.message
    # Without the repeated false positive F1 is 2/3; without a true positive it would be 0.4.
    assert "f1 0.5714 lies between 0.4 and 0.6667 without them" in finding.message


@pytest.mark.parametrize(
    "right",
    [
        five_samples(samples=(3, 2)),
        five_samples(length=6),
        five_samples(samples=(5, 5)),
        five_samples(total=None, replicas=None),
        five_samples(key=KEY._replace(stage="train"), stage="train"),
        five_samples(key=KEY._replace(stage="sanity_check")),
    ],
)
def test_right_twins_are_left_alone(right: Any) -> None:
    assert nothing(find, right)
