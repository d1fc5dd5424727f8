"""Does a key find its metric, and none where its name leaves a doubt?"""

from __future__ import annotations

import numpy as np
import pytest

from ddpwatch.board.attribution import belonging, origin_of
from ddpwatch.board.snapshot import PassKey, Row, RowKey, Table
from ddpwatch.wire.messages import LoggedKey


def row(path: str, score: str, label: str | None = None, index: int = -1, own: bool = True) -> Row:
    return Row(
        key=RowKey(path, score, index), cls="", average="macro", own=own, label=label,
        values=np.zeros(1), present=np.ones(1, dtype=bool), samples=np.zeros(1, dtype=np.int64),
        mean=0.0, global_=0.0, gap=0.0,
    )  # fmt: skip


def table(*rows: Row, loader: int = 0) -> Table:
    none = np.zeros(1, dtype=np.int64)
    key = PassKey(0, "validate", 0, 0, loader)
    return Table(key=key, step=0, steps=1, final=True, rows=rows, samples=none, rank_steps=none)


ROWS = (
    row("val.f1", "f1"),
    row("val.precision", "precision"),
    row("val.precision", "precision", "cat", 0),
    row("val.precision", "precision", "dog", 1),
)


def found(name: str = "x", *rows: Row, **more: object) -> RowKey | None:
    key = LoggedKey(hook="validation_step", name=name, **more)  # type: ignore[arg-type]
    belongs = belonging(key, {0: table(*(rows or ROWS))})
    return None if belongs is None else belongs.row.key


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("val_f1", RowKey("val.f1", "f1")),
        ("val/F1Score", RowKey("val.f1", "f1")),
        ("f1_macro", RowKey("val.f1", "f1")),
        ("val/precision_cat", RowKey("val.precision", "precision", 0)),
        ("val_prec", RowKey("val.precision", "precision")),
        ("val_precision_bird", None),
        ("val_f1_3", None),
        ("val_loss", None),
        ("f1_of_teacher", None),
        ("f1_precision", None),
    ],
)
def test_by_name(name: str, expected: RowKey | None) -> None:
    assert found(name) == expected


def test_two_heads_need_a_name_that_tells_them_apart() -> None:
    heads = (row("head_a.f1", "f1"), row("head_b.f1", "f1"))
    assert found("val_f1", *heads) is None
    assert found("head_b_f1", *heads) == heads[1].key


def test_own_rows_come_before_derived_ones() -> None:
    assert found("val_f1", row("acc", "f1", own=False), row("val.f1", "f1")) == ROWS[0].key


def test_by_object_and_by_origin() -> None:
    assert found(metric="val.f1") == RowKey("val.f1", "f1")
    assert found(origin="compute:val.f1") == RowKey("val.f1", "f1")
    assert found(origin="forward:val.precision:1") == RowKey("val.precision", "precision", 1)
    assert found("val_f1", metric="gone") is None


def test_the_last_dataloader_holds_all_that_was_accumulated() -> None:
    tables = {0: table(ROWS[0]), 1: table(row("val.f1", "f1"), loader=1)}
    for loader, expected in ((-1, 1), (0, 0), (1, 1)):
        key = LoggedKey(hook="h", name="f1", metric="val.f1", dataloader=loader)
        belongs = belonging(key, tables)
        assert belongs is not None
        assert belongs.row is tables[expected].rows[0]


def test_origins_are_split() -> None:
    def split(origin: str) -> tuple[str, str, int]:
        return origin_of(LoggedKey(hook="h", name="n", origin=origin))

    assert split("compute:a.b") == ("compute", "a.b", -1)
    assert split("forward:a.b:12") == ("forward", "a.b", 12)
    assert split("") == ("", "", -1)
