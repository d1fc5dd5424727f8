"""Do the codes of findings stand on the rows that they are about?"""

from __future__ import annotations

from dataclasses import replace

from ddpwatch.board.joined import table_with_logged
from ddpwatch.board.snapshot import PassKey
from tests.tui import diagnosed, snapshots

VALIDATE = diagnosed.VALIDATE


def codes(*findings, key: PassKey = VALIDATE):
    table = snapshots.table(diagnosed.metric_rows(), key=key)
    return table_with_logged(table, None, findings).codes


def test_how_samples_were_dealt_out_stands_on_the_samples() -> None:
    padded, unequal = (
        diagnosed.finding(code, "info", "dealt out", "", "told", pass_key=VALIDATE)
        for code in ("DW203", "DW201")
    )
    assert codes(padded, unequal) == ("DW201", "DW203")


def test_other_loaders_other_stages_keys_and_ranks_do_not() -> None:
    padded = diagnosed.finding("DW201", "warning", "padded", "", "told", pass_key=VALIDATE)
    other_loader = replace(padded, pass_key=VALIDATE._replace(dataloader=1))
    other_stage = replace(padded, pass_key=VALIDATE._replace(stage="train"))
    of_a_key = replace(padded, code="DW204", key="val_metrics.f1")
    silent = replace(padded, code="DW401")
    of_the_run = replace(padded, pass_key=None)
    assert codes(other_loader, other_stage, of_a_key, silent, of_the_run) == ()


def test_an_earlier_epoch_counts_as_the_same_stage() -> None:
    padded = diagnosed.finding("DW201", "warning", "padded", "", "told", pass_key=VALIDATE)
    assert codes(padded, key=VALIDATE._replace(epoch=VALIDATE.epoch + 1)) == ("DW201",)
