"""Is a finding told where it belongs: at its row, its samples, its key, and nowhere else?"""

from __future__ import annotations

from dataclasses import replace

from ddpwatch.board.about import about_key, about_row, about_samples, codes, row_names
from tests.tui import diagnosed

VALIDATE = diagnosed.VALIDATE
ROW = diagnosed.metric_rows()[0]
REPORT = replace(diagnosed.logged_rows()[0], alias="val_f1/dataloader_idx_0")
OF_METRIC = diagnosed.finding("DW306", "info", "t", "val_metrics.f1", "told", pass_key=VALIDATE)
OF_KEY = replace(OF_METRIC, code="DW101", key="val_f1")
PADDED = replace(OF_METRIC, code="DW201", key="")


def test_a_row_knows_its_metric_and_every_name_of_its_key() -> None:
    assert row_names(ROW, None) == {"val_metrics.f1"}
    assert row_names(ROW, REPORT) == {"val_metrics.f1", "val_f1", "val_f1/dataloader_idx_0"}


def test_a_row_has_the_findings_of_its_metric_and_of_its_key() -> None:
    by_alias = replace(OF_KEY, key="val_f1/dataloader_idx_0")
    found = (OF_METRIC, OF_KEY, by_alias, PADDED, replace(OF_KEY, key="loss"))
    assert about_row(found, VALIDATE, ROW, REPORT) == (OF_METRIC, OF_KEY, by_alias)
    assert about_row(found, VALIDATE, ROW, None) == (OF_METRIC,)


def test_a_row_has_none_of_another_loader_or_stage_and_those_of_other_epochs() -> None:
    elsewhere = replace(OF_METRIC, pass_key=VALIDATE._replace(dataloader=1))
    in_training = replace(OF_METRIC, pass_key=VALIDATE._replace(stage="train"))
    earlier = replace(OF_METRIC, pass_key=VALIDATE._replace(epoch=0))
    of_the_run = replace(OF_METRIC, pass_key=None)
    found = (elsewhere, in_training, earlier, of_the_run)
    assert about_row(found, VALIDATE, ROW, REPORT) == (earlier, of_the_run)


def test_samples_have_what_says_how_this_loader_dealt_them_out() -> None:
    elsewhere = replace(PADDED, pass_key=VALIDATE._replace(dataloader=1))
    in_training = replace(PADDED, pass_key=VALIDATE._replace(stage="train"))
    silent = replace(PADDED, code="DW401")
    found = (elsewhere, PADDED, in_training, silent, replace(PADDED, key="val_f1"))
    assert about_samples(found, VALIDATE) == (PADDED,)


def test_a_key_has_what_names_it_in_its_stage() -> None:
    in_training = replace(OF_KEY, pass_key=VALIDATE._replace(stage="train"))
    assert about_key((OF_METRIC, OF_KEY, in_training), VALIDATE, REPORT) == (OF_KEY,)


def test_each_code_is_named_once() -> None:
    assert codes((OF_KEY, PADDED, replace(OF_KEY, key="loss"))) == ("DW101", "DW201")
