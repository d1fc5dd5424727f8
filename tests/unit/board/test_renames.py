"""Is a key that got another name told from one that is not logged any more?"""

from __future__ import annotations

from dataclasses import replace

from ddpwatch.board.renames import beside_before
from ddpwatch.board.snapshot import LoggedId, LoggedTable
from tests.unit.findings.builders import KEY, logged_row


def named(name: str, dataloader: int = -1, kind: str = "epoch") -> LoggedId:
    return LoggedId("validation_step", name, kind, dataloader)


def beside(*now: LoggedId, before: tuple[LoggedId, ...], final: bool = True) -> LoggedTable:
    rows = tuple(replace(logged_row(each.name, [0.5, 0.5]), id=each) for each in now)
    return beside_before(LoggedTable(KEY, 0, final, rows), before)


ACC, ACC_0, ACC_1 = named("acc"), named("acc/dataloader_idx_0", 0), named("acc/dataloader_idx_1", 1)


def test_the_first_loaders_key_is_renamed_and_the_seconds_is_new() -> None:
    table = beside(ACC_0, ACC_1, before=(ACC,))
    assert [row.was for row in table.rows] == ["acc", ""]
    assert table.gone == ()


def test_and_back_and_the_seconds_is_gone() -> None:
    table = beside(ACC, before=(ACC_0, ACC_1))
    assert [row.was for row in table.rows] == ["acc/dataloader_idx_0"]
    assert table.gone == ("acc/dataloader_idx_1",)


def test_nothing_is_gone_before_the_end() -> None:
    assert beside(before=(ACC,), final=False).gone == ()
    assert beside(before=(ACC,)).gone == ("acc",)


def test_steps_and_epochs_are_not_each_other() -> None:
    table = beside(named("acc/dataloader_idx_0", 0, "step"), before=(ACC,))
    assert table.rows[0].was == ""


def test_what_kept_its_name_is_as_it_was() -> None:
    table = beside(ACC, before=(ACC, ACC_0))
    assert table.rows[0].was == ""
    assert table.gone == ("acc/dataloader_idx_0",)
