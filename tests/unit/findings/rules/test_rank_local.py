"""DW101: one rank's own value, cases 1, 12 and 23 and their right twins."""

from __future__ import annotations

import pytest

from ddpwatch.findings.rules.rank_local import find
from tests.unit.findings.builders import F1, NAN, evidence, logged_row, nothing, taken, the_only


def test_unsynced_f1_names_every_rank_and_the_truth() -> None:
    row = logged_row("val_f1", [0.8222, 0.4444], [0.8222, 0.4444], metric=F1, global_=0.6794)
    finding = the_only(find, evidence(taken(row)))
    assert (finding.code, finding.severity, finding.key) == ("DW101", "warning", "val_f1")
    for told in ("rank 0 has 0.8222", "rank 1 has 0.4444", "over all ranks it is 0.6794"):
        assert told in finding.message
    assert "self.log('val_f1', self.val_f1" in finding.fix


def test_it_speaks_in_the_middle_of_a_pass_once_the_ranks_made_as_many_calls() -> None:
    row = logged_row("val_f1", [0.8, 0.4], calls=[3, 3])
    assert the_only(find, evidence(taken(row, final=False))).key == "val_f1"
    early = logged_row("val_f1", [0.8, 0.4], calls=[3, 2])
    assert nothing(find, evidence(taken(early, final=False)))


def test_without_a_known_metric_the_fix_is_to_sync_or_to_keep_an_object() -> None:
    loss = logged_row("val_loss", [0.5, 1.0], [0.5, 1.0])
    assert the_only(find, evidence(taken(loss))).fix.startswith("self.log('val_loss', value, sync")
    named = logged_row("val_f1", [0.5, 1.0], [0.5, 1.0])
    assert "torchmetrics object" in the_only(find, evidence(taken(named))).fix


@pytest.mark.parametrize(
    "right",
    [
        logged_row("val_f1", [0.6794, 0.6794], [0.6794, 0.6794], source="compute of val_f1",
                   reduction="state-reduced", global_=0.6794),
        logged_row("val_f1", [0.8, 0.4], [0.6, 0.6], sync_dist=True, reduction="mean-of-batches"),
        logged_row("val_f1", [0.8, 0.4], [0.6794, 0.6794], source="metric val_f1",
                   reduction="state-reduced"),
        logged_row("time", [3.0, 4.0], [3.0, 4.0], rank_zero_only=True),
        logged_row("time", [3.0, NAN], [3.0, NAN]),
        logged_row("loss_step", [3.0, 4.0], [3.0, 4.0], kind="step"),
        logged_row("val_f1", [0.5, 0.5 + 1e-7], [0.5, 0.5 + 1e-7]),
        logged_row("loss", [1.0, NAN], [1.0, NAN], called=[True, True]),
        logged_row("val_loss", [1.0, 0.5], [1.0, 0.5], monitored_by=("early_stopping",)),
    ],
)  # fmt: skip
def test_right_twins_are_left_alone(right: object) -> None:
    assert nothing(find, evidence(taken(right)))
