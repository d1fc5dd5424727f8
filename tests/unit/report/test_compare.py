"""Does a comparison tell what differs, by which sign, and what is on one side only?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ddpwatch import reviewing
from ddpwatch.board.board import Board
from ddpwatch.errors import UsageError
from ddpwatch.report.comparison import difference
from tests.unit.report.recordings import HOSTILE, FakeRecording, finding, run_of_two, told


def compared(a: list[Any], b: list[Any], **options: Any) -> Any:
    return json.loads(
        reviewing.compare(FakeRecording(a), FakeRecording(b), form="json", **options).text
    )


def shorter(**more: Any) -> list[Any]:
    """The same run, of which the last epoch has come as far as step 2 only."""
    items = run_of_two(final=False, **more)
    return [i for i in items if getattr(getattr(i, "envelope", None), "body", None) is None
            or getattr(i.envelope.body, "step", 0) <= 2]  # fmt: skip


def test_values_are_those_of_the_board_and_differences_are_b_minus_a() -> None:
    a, b = run_of_two(logged=0.5, epochs=2), shorter()
    said = compared(a, b)
    boards = []
    for items in (a, b):
        board = Board()
        board.fold(items)
        run = board.runs["r"]
        boards.append(run.table(next(reversed(run.passes)), board.now))
    rows = [table.rows[0] for table in boards if table is not None]
    first = said["metrics"][0]
    assert (first["stage"], first["name"], first["score"], first["average"], first["label"]) == (
        "validate", "val.f1", "f1", "macro", None,
    )  # fmt: skip
    assert first["a"] == {"global": rows[0].global_, "mean_of_ranks": rows[0].mean, "logged": 0.5}
    assert first["b"] == {"global": rows[1].global_, "mean_of_ranks": rows[1].mean, "logged": None}
    assert rows[0].global_ is not None
    assert rows[1].global_ is not None
    assert first["difference"]["global"] == rows[1].global_ - rows[0].global_
    assert first["difference"]["logged"] is None
    (pair,) = said["passes"]
    assert (pair["a"]["epoch"], pair["a"]["final"]) == (1, True)
    assert (pair["b"]["epoch"], pair["b"]["step"], pair["b"]["final"]) == (0, 2, False)


def test_what_is_on_one_side_only_is_there_and_has_no_difference() -> None:
    said = compared(run_of_two(logged=0.5), run_of_two(path="val.other"))
    sides = {m["name"]: (m["a"] is not None, m["b"] is not None) for m in said["metrics"]}
    assert sides == {"val.f1": (True, False), "val.other": (False, True)}
    assert all(m["difference"] is None for m in said["metrics"])
    (key,) = said["logged"]
    assert (key["key"], key["b"], key["difference"]) == ("val.f1", None, None)
    assert key["a"] == {"value": 0.5, "reduction": "unknown"}
    said = compared(run_of_two(stage="train"), run_of_two())
    assert [(p["stage"], p["a"] is None, p["b"] is None) for p in said["passes"]] == [
        ("train", False, True),
        ("validate", True, False),
    ]


def test_findings_are_told_apart_by_where_they_are() -> None:
    graver = finding("DW104", severity="warning")
    said = compared(
        [*run_of_two(), *told(finding("DW102"), finding("DW104", severity="info"))],
        [*run_of_two(), *told(finding("DW103"), graver)],
    )["findings"]
    assert [f["code"] for f in said["only_a"]] == ["DW102"]
    assert [f["code"] for f in said["only_b"]] == ["DW103"]
    assert [(f["code"], f["a"], f["b"]) for f in said["both"]] == [("DW104", "info", "warning")]


def test_speed_and_width_are_there() -> None:
    said = compared(run_of_two(stage="train", epochs=2), run_of_two())
    assert said["a"] == {
        "id": "r", "name": "toy", "world_size": 2,
        "steps_per_second": 5 / 8, "seconds_per_epoch": 8.0,
    }  # fmt: skip
    assert said["b"]["steps_per_second"] is None


def test_sanity_check_counts_only_where_nothing_else_is() -> None:
    alone = run_of_two(stage="sanity_check")
    both = [*alone, *run_of_two()]
    assert [p["stage"] for p in compared(both, both)["passes"]] == ["validate"]
    assert [p["stage"] for p in compared(alone, alone)["passes"]] == ["sanity_check"]


def test_of_several_runs_one_has_to_be_named() -> None:
    two = [*run_of_two("a"), *run_of_two("b")]
    with pytest.raises(UsageError, match=r"got 2: there are a \(toy\), b \(toy\).*--run-b"):
        compared(two, two, run_a="a")
    said = compared(two, two, run_a="a", run_b="b")
    assert (said["a"]["id"], said["b"]["id"]) == ("a", "b")


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [(1.0, 3.0, 2.0), (None, 1.0, None), ("nan", 1.0, None), (1.0, "inf", None), (2.0, 2.0, 0.0)],
)
def test_only_numbers_are_subtracted(a: Any, b: Any, apart: Any) -> None:
    assert difference(a, b) == apart


def test_table_shows_signs_and_sides() -> None:
    a = FakeRecording([*run_of_two(logged=0.5), *told(finding("DW102"))], is_cut_short=True)
    b = FakeRecording([*shorter(), *told(finding("DW103"))])
    answer = reviewing.compare(a, b)
    lines = answer.text.splitlines()
    assert answer.code == 0
    assert answer.remarks[0].startswith("A was cut short")
    head = next(line for line in lines if line.startswith("validate"))
    assert head == ("validate · A epoch 0, pass 0 · B epoch 0, pass 0 (not finished, at step 2)")
    row = next(line for line in lines if line.startswith("val.f1 macro")).split()
    assert row[4][0] in "+-"
    assert row[8:] == ["0.500", "–", "–"]
    assert any(line.startswith("val.f1") and line.endswith("only A") for line in lines)
    assert "findings only in A: 1" in lines
    assert "findings in both: none" in lines


def test_equal_labels_are_counted_and_nothing_outside_is_obeyed() -> None:
    items = run_of_two(path=HOSTILE[:300], name=HOSTILE[:300])
    text = reviewing.compare(FakeRecording(items), FakeRecording(items)).text
    assert "9 rows of classes and labels do not differ" in text
    assert not set(text) & set("\r\x1b\u202e\x00")
