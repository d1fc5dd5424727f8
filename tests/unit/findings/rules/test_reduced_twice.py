"""DW104: a global value reduced again, case 23."""

from __future__ import annotations

from ddpwatch.findings.rules.reduced_twice import find
from tests.unit.findings.builders import F1, evidence, logged_row, nothing, taken, the_only

COMPUTED = {"metric": F1, "source": "compute of val_f1", "global_": 0.67937}


def test_sum_multiplies_by_the_number_of_ranks() -> None:
    row = logged_row(
        "val_f1", [0.67937] * 2, [1.35874] * 2, sync_dist=True, reduce_fx="sum",
        reduction="sum-of-ranks", **COMPUTED,
    )  # fmt: skip
    finding = the_only(find, evidence(taken(row)))
    assert finding.severity == "warning"
    assert "1.359, 2 times 0.6794" in finding.message


def test_mean_changes_nothing_and_is_worth_no_warning() -> None:
    row = logged_row(
        "val_f1", [0.67937] * 2, [0.67937] * 2, sync_dist=True, reduction="state-reduced",
        **COMPUTED,
    )  # fmt: skip
    assert the_only(find, evidence(taken(row))).severity == "info"


def test_unsynced_value_of_compute_is_right() -> None:
    row = logged_row("val_f1", [0.67937] * 2, [0.67937] * 2, reduction="state-reduced", **COMPUTED)
    assert nothing(find, evidence(taken(row)))


def test_equal_counts_that_are_summed_are_no_global_value() -> None:
    row = logged_row(
        "n", [32.0, 32.0], [64.0, 64.0], sync_dist=True, reduce_fx="sum", reduction="sum-of-ranks"
    )
    assert nothing(find, evidence(taken(row)))
