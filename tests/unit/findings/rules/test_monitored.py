"""DW105: decisions by a key that is not the same on all ranks, cases 9, 10 and 31."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddpwatch.findings.rules.monitored import find
from ddpwatch.wire.messages import Monitor, MonitorState
from tests.unit.findings.builders import (
    KEY,
    NAN,
    declared,
    evidence,
    logged_key,
    logged_row,
    nothing,
    said,
    taken,
    the_only,
)

STOP = declared(monitors=(Monitor(kind="early_stopping", key="val_loss", mode="min", patience=2),))
SAVE = declared(monitors=(Monitor(kind="checkpoint", key="val_loss", mode="min"),))
MONITORED = {"monitored_by": ("early_stopping",)}


def words(*monitors: MonitorState) -> list[object]:
    return [said(logged_key("val_loss"), monitors=(each,)) for each in monitors]


def test_it_says_which_rank_decided_the_stop() -> None:
    row = logged_row("val_loss", [0.6, 0.54], [0.6, 0.54], **MONITORED)
    held = words(
        MonitorState(monitor=0, current=0.6, best=0.6, wait=0),
        MonitorState(monitor=0, current=0.54, best=0.5, wait=2, stopped=True),
    )
    finding = the_only(
        find,
        evidence(taken(row, words=held), declares={0: STOP, 1: STOP}),
    )
    assert (finding.code, finding.severity, finding.ranks) == ("DW105", "error", (0, 1))
    assert "monitored by EarlyStopping" in finding.message
    assert "rank 0 has 0.6, rank 1 has 0.54" in finding.message
    assert "decided by rank 1 (wait 0 on rank 0, 2 on rank 1)" in finding.message


def test_other_best_files_are_told_where_no_row_is_there() -> None:
    held = words(
        MonitorState(monitor=0, best=1.0, path="/runs/e0-1.00.ckpt"),
        MonitorState(monitor=0, best=0.5, path="/runs/e0-0.50.ckpt"),
    )
    finding = the_only(
        find,
        evidence(taken(words=held), declares={0: SAVE, 1: SAVE}),
    )
    assert "best 1 on rank 0, 0.5 on rank 1 (e0-1.00.ckpt, e0-0.50.ckpt)" in finding.message


DIFFER = words(MonitorState(monitor=0, best=1.0), MonitorState(monitor=0, best=0.5))
TRAIN = KEY._replace(stage="train")


def test_values_and_the_monitors_of_a_later_pass_are_told_once_in_one_look() -> None:
    """The validation's values differ, which is told there; the training's end adds nothing."""
    row = logged_row("val_loss", [1.0, 0.5], [1.0, 0.5], **MONITORED)
    of = evidence(
        taken(row, words=words(MonitorState(monitor=0), MonitorState(monitor=0))),
        taken(words=DIFFER, key=TRAIN),
        declares={0: SAVE, 1: SAVE},
    )
    finding = the_only(find, of)
    assert "rank 0 has 1, rank 1 has 0.5" in finding.message


@pytest.mark.parametrize("name", ["val_loss", "val_loss_epoch"])
def test_monitors_add_nothing_to_what_an_earlier_look_told_of_the_values(name: str) -> None:
    """Not even while the next validation has only one rank's value yet."""
    row = logged_row(name, [1.0, 0.5], [1.0, 0.5], alias="val_loss", **MONITORED)
    proven = the_only(find, evidence(taken(row)))
    half = logged_row(name, [0.9, NAN], [0.9, NAN], alias="val_loss", **MONITORED)
    of = evidence(
        taken(words=DIFFER, key=TRAIN),
        declares={0: SAVE, 1: SAVE},
        newest_rows={"val_loss": half, name: half},
        proven=(proven,),
    )
    assert nothing(find, of)


def test_monitors_go_on_telling_where_nothing_else_does() -> None:
    of = evidence(taken(words=DIFFER, key=TRAIN), declares={0: SAVE, 1: SAVE})
    first = the_only(find, of)
    assert the_only(find, replace(of, proven=(first,))) == first


def test_key_missing_on_a_rank() -> None:
    row = logged_row("val_loss", [0.5, NAN], [0.5, NAN], **MONITORED)
    finding = the_only(find, evidence(taken(row, words=[said(logged_key("val_loss")), said()])))
    assert finding.ranks == (1,)
    assert "is missing on rank 1" in finding.message


def test_it_speaks_before_the_end_where_nothing_will_sync() -> None:
    row = logged_row("val_loss", [0.5, 0.7], calls=[2, 2], **MONITORED)
    assert the_only(find, evidence(taken(row, final=False))).code == "DW105"


@pytest.mark.parametrize(
    "right",
    [
        logged_row("val_loss", [0.5, 1.0], [0.75, 0.75], sync_dist=True, **MONITORED),
        logged_row("val_loss", [0.5, 1.0], calls=[2, 2], sync_dist=True, **MONITORED),
        logged_row("val_f1", [0.8, 0.4], [0.68, 0.68], source="metric val_f1", **MONITORED),
        logged_row("val_f1", [0.8, 0.4], source="metric val_f1", **MONITORED),
        logged_row("val_loss", [0.5, 0.7], [0.5, 0.7]),
        logged_row("val_loss", [0.5, 0.7], calls=[2, 1], **MONITORED),
    ],
)
def test_right_twins_are_left_alone(right: object) -> None:
    final = bool(right.ended.all())
    assert nothing(find, evidence(taken(right, final=final)))


def test_monitors_that_agree_are_left_alone() -> None:
    same = MonitorState(monitor=0, best=0.75, wait=0, path="/runs/a.ckpt")
    held = words(same, same)
    assert nothing(
        find,
        evidence(taken(words=held), declares={0: SAVE, 1: SAVE}),
    )
