"""DW102: averages of a ratio that all ranks agree on, cases 2, 3 and 23 and their right twins."""

from __future__ import annotations

import pytest

from ddpwatch.board.snapshot import RowKey
from ddpwatch.findings.rules.averaged_ratio import find
from tests.unit.findings.builders import (
    F1,
    evidence,
    loader_pass,
    logged_key,
    logged_row,
    measured_row,
    nothing,
    said,
    taken,
    the_only,
)

SYNCED = {"sync_dist": True, "reduction": "mean-of-batches", "metric": F1}


@pytest.mark.parametrize("value", [0.5889, 0.5])
def test_agreement_is_not_taken_for_correctness(value: float) -> None:
    row = logged_row("val_f1", [0.7333, 0.4444], [value, value], global_=0.6349, **SYNCED)
    finding = the_only(find, evidence(taken(row)))
    assert (finding.code, finding.severity) == ("DW102", "warning")
    assert f"mean of batches, {value}; over all ranks it is 0.6349" in finding.message


def test_inflation_is_not_counted_against_the_average() -> None:
    row = logged_row(
        "val_f1", [0.8222, 0.4444], [0.7361, 0.7361], sync_dist=True, metric=F1,
        reduction="mean-of-batches-floored", global_=0.6794,
    )  # fmt: skip
    words = [
        said(logged_key(weighted_sum=5 * 0.82222, weight=5)),
        said(logged_key(weighted_sum=4 * 0.44444, weight=4)),
    ]
    assert "0.6543" in the_only(find, evidence(taken(row, words=words))).message


def test_a_name_that_says_f1_is_enough_where_ranks_differ() -> None:
    row = logged_row("val/f1", [0.7, 0.4], [0.55, 0.55], sync_dist=True, reduction="mean-of-ranks")
    assert "cannot be told from averages" in the_only(find, evidence(taken(row))).message


@pytest.mark.parametrize(
    "right",
    [
        logged_row("val_f1", [0.6794] * 2, [0.6794] * 2, global_=0.6794, **SYNCED),
        logged_row("val_loss", [0.5, 1.0], [0.75, 0.75], sync_dist=True,
                   reduction="mean-of-batches"),
        logged_row("recall@10", [0.5, 1.0], [0.75, 0.75], sync_dist=True,
                   reduction="mean-of-batches"),
        logged_row("val_f1", [0.7, 0.4], [0.6349] * 2, sync_dist=True, source="metric val_f1",
                   reduction="state-reduced", metric=F1, global_=0.6349),
        logged_row("val_f1", [0.7, 0.7], [0.7, 0.7], sync_dist=True, reduction="mean-of-ranks"),
        logged_row("mean", [0.5, 1.0], [0.75] * 2, sync_dist=True, reduction="mean-of-batches",
                   metric=RowKey("m", "mean"), global_=0.7),
    ],
)  # fmt: skip
def test_right_twins_are_left_alone(right: object) -> None:
    assert nothing(find, evidence(taken(right)))


@pytest.mark.parametrize(("average", "count"), [("macro", 1), ("micro", 0)])
def test_accuracy_is_a_mean_over_samples_but_not_over_classes(average: str, count: int) -> None:
    key = RowKey("acc", "accuracy")
    row = logged_row("acc", [0.5, 1.0], [0.7, 0.7], global_=0.6, **{**SYNCED, "metric": key})
    loader = loader_pass([], rows=[measured_row(key, [0.5, 1.0], 0.6, average=average)])
    assert len(list(find(evidence(taken(row, loaders=[loader]))))) == count


def test_one_process_has_nothing_to_sync() -> None:
    row = logged_row("val_f1", [0.7], [0.7], global_=0.6, **SYNCED)
    assert nothing(find, evidence(taken(row), world_size=1))
