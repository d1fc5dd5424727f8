"""DW103: means over batches where ranks do not contradict each other, cases 12 and 15."""

from __future__ import annotations

import pytest

from ddpwatch.findings.rules.batch_means import find
from tests.unit.findings.builders import (
    F1,
    array,
    evidence,
    loader_pass,
    logged_row,
    measured_row,
    metric,
    nothing,
    spec,
    state,
    taken,
    the_only,
    updated,
)

FORWARD = {"metric": F1, "source": "forward of val_f1", "calls": 2, "reduction": "mean-of-batches"}


def test_one_gpu_averages_batches_too() -> None:
    row = logged_row("val_f1", [0.6667], [0.6667], global_=0.7333, **FORWARD)
    finding = the_only(find, evidence(taken(row), world_size=1))
    assert (finding.code, finding.severity) == ("DW103", "warning")
    assert "0.6667, the mean of 2 per-batch values; over the whole epoch it is 0.7333" in (
        finding.message
    )


def test_running_values_of_compute_are_named_so() -> None:
    row = logged_row(
        "val_f1", [0.66, 0.66], [0.66, 0.66], global_=0.6349,
        **{**FORWARD, "source": "compute of val_f1"},
    )  # fmt: skip
    assert "2 running values" in the_only(find, evidence(taken(row))).message


@pytest.mark.parametrize(
    ("right", "world_size"),
    [
        (logged_row("val_f1", [0.7333], [0.7333], global_=0.7333, **FORWARD), 1),
        (logged_row("val_f1", [0.7], [0.7], global_=0.6, **{**FORWARD, "calls": 1}), 1),
        (logged_row("val_f1", [0.7], [0.6], global_=0.7, source="metric val_f1", calls=2,
                    metric=F1), 1),
        (logged_row("val_loss", [0.7], [0.7], calls=2), 1),
        # The ranks disagree: DW101. They are synced: DW102.
        (logged_row("val_f1", [0.7, 0.3], [0.7, 0.3], global_=0.6, **FORWARD), 2),
        (logged_row("val_f1", [0.7, 0.3], [0.5, 0.5], global_=0.6, sync_dist=True, **FORWARD), 2),
    ],
)  # fmt: skip
def test_right_twins_and_other_codes_are_left_alone(right: object, world_size: int) -> None:
    assert nothing(find, evidence(taken(right), world_size=world_size))


def custom(*names: str) -> object:
    held = metric("val_f1", "", *(spec(name, "mean") for name in names), cls="MyF1", base="")
    states = [state(updated(array(1.0, "float32"), array(1.0, "float32")), final=True)] * 2
    rows = [measured_row(F1._replace(metric="other"), [0.8222, 0.4444], 0.6794)]
    return taken(loaders=[loader_pass(states, held, rows=rows)])


def test_state_that_is_itself_a_ratio_is_a_mean_of_ranks() -> None:
    finding = the_only(find, evidence(custom("f1_sum", "batches")))
    assert finding.key == "val_f1"
    assert "mean of ranks 0.6333, over all ranks 0.6794" in finding.message
    assert 'dist_reduce_fx="sum"' in finding.fix


def test_averaged_counts_are_right() -> None:
    assert nothing(find, evidence(custom("tp", "fp")))
