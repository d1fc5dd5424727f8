"""Does an export hold every step with the board's own numbers, whatever came in which order?"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import pytest

from ddpwatch import reviewing
from ddpwatch.board.board import Board
from ddpwatch.board.snapshot import Table, View
from ddpwatch.errors import UsageError
from ddpwatch.report import steps
from ddpwatch.report.csv_file import write_csv
from ddpwatch.report.records import COLUMNS, Record
from ddpwatch.report.tensorboard_folder import write_tensorboard
from ddpwatch.report.unrolling import unroll
from ddpwatch.wire.stamped import Item, Restart
from tests.unit.board.builders import FakeRank, multiclass
from tests.unit.report.recordings import (
    HOSTILE,
    FakeRecording,
    logged_value,
    prefix,
    run_of_two,
)


def unrolled(items: list[Item], *runs: str) -> list[Record]:
    return list(unroll(FakeRecording(items), frozenset(runs or ("r",))))


def f1(records: list[Record]) -> list[Record]:
    return [r for r in records if (r.score, r.label) == ("f1", None)]


def seen(items: list[Item], step: int, *, final: bool) -> Table:
    """What the screen shows once the whole of a step has come, and no more."""
    board, found = Board(), None
    for item in items:
        board.fold([item])
        view = board.snapshot(View()).run
        table = view.table if view is not None else None
        if table is not None and (table.step, table.final) == (step, final):
            found = table
    assert found is not None
    return found


@pytest.mark.parametrize(("step", "final"), [(0, False), (3, False), (4, True)])
def test_every_value_is_that_of_the_screen(step: int, *, final: bool) -> None:
    items = run_of_two()
    table = seen(items, step, final=final)
    records = [r for r in unrolled(items) if r.step == step]
    expected = []
    for row in table.rows:
        common = (row.key.metric, row.key.score, row.average, row.label)
        for rank in range(2):
            value, samples = float(row.values[rank]), int(row.samples[rank])
            expected.append((*common, "rank", rank, final, value, samples))
        total = int(row.samples.sum())
        expected.append((*common, "mean", None, final, row.mean, total))
        expected.append((*common, "global", None, final, row.global_, total))
    assert [
        (r.metric, r.score, r.average, r.label, r.of, r.rank, r.final, r.value, r.samples)
        for r in records
    ] == expected


def test_every_step_is_there_once_in_order_and_the_end_takes_the_place_of_the_last() -> None:
    records = f1(unrolled(run_of_two(epochs=3)))
    told = [(r.pass_, r.step, r.final) for r in records if r.of == "global"]
    assert told == [(e, s, s == 4) for e in range(3) for s in range(5)]
    assert [r.time for r in records if r.of == "global"][:6] == [1.0, 2.0, 3.0, 4.0, 7.0, 11.0]


def test_ranks_that_are_apart_are_put_together() -> None:
    items = run_of_two(epochs=2)
    # All of rank 0 comes before all of rank 1, as when the recorder was started late.
    items.sort(key=lambda item: item.envelope.rank)  # type: ignore[union-attr]
    expected = [r[:-1] for r in unrolled(run_of_two(epochs=2))]
    found = [r[:-1] for r in unrolled(items)]
    assert sorted(found, key=str) == sorted(expected, key=str)


def test_step_of_one_rank_alone_has_its_own_value_only() -> None:
    ranks = [FakeRank(rank) for rank in range(2)]
    items = [said for r in ranks for said in (r.hello(), r.declare(multiclass("f1")))]
    items += [ranks[0].state(step, prefix(0, step + 1)) for step in (0, 1, 2)]
    items += [ranks[1].state(step, prefix(1, step + 1)) for step in (0, 2)]
    told = [(r.step, r.of, r.rank) for r in f1(unrolled(items))]
    shared = [("rank", 0), ("rank", 1), ("mean", None), ("global", None)]
    assert told == [(0, *each) for each in shared] + [(1, "rank", 0)] + [
        (2, *each) for each in shared
    ]


def test_rank_that_is_done_shares_the_steps_of_the_others() -> None:
    ranks = [FakeRank(rank) for rank in range(2)]
    items = [said for r in ranks for said in (r.hello(), r.declare(multiclass("f1")))]
    items += [ranks[0].state(0, prefix(0, 1)), ranks[1].state(0, prefix(1, 1))]
    items += [ranks[0].state(0, prefix(0, 1), final=True)]
    items += [ranks[1].state(1, prefix(1, 2)), ranks[1].state(2, prefix(1, 3))]
    items += [ranks[1].state(2, prefix(1, 3), final=True)]
    whole = [r for r in f1(unrolled(items)) if r.of == "global"]
    assert [(r.step, r.final) for r in whole] == [(0, False), (1, False), (2, True)]
    own = [r for r in f1(unrolled(items)) if r.of == "rank" and r.step == 1]
    assert [(r.rank, r.final) for r in own] == [(0, True), (1, False)]


def test_value_over_fewer_ranks_is_never_told_as_global() -> None:
    items = run_of_two()
    last = max(i for i, item in enumerate(items) if "final=True" in repr(item)[:4000])
    records = unrolled(items[:last])
    ends = [r for r in f1(records) if r.step == 4]
    assert [(r.of, r.rank, r.final) for r in ends] == [
        ("rank", 0, True),
        ("rank", 1, False),
        ("mean", None, False),
        ("global", None, False),
    ]
    alone = [item for item in items if item.envelope.rank == 0]  # type: ignore[union-attr]
    assert {r.of for r in unrolled(alone)} == {"rank"}


def test_steps_that_wait_for_a_dead_rank_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "WAITING", 2)
    items = [item for item in run_of_two() if item.envelope.rank == 0]  # type: ignore[union-attr]
    made = unroll(FakeRecording(items[:6]), frozenset("r"))
    assert next(made).step == 0
    told = [(r.step, r.rank, r.final) for r in f1(unrolled(items))]
    assert told == [(s, 0, s == 4) for s in range(5)]


def test_what_was_logged_stands_with_its_reduction() -> None:
    items = run_of_two(logged=0.5)
    records = [r for r in unrolled(items) if r.of == "logged"]
    assert [(r.rank, r.metric, r.value, r.reduction, r.final, r.dataloader) for r in records] == [
        (rank, "val.f1", 0.5, "unknown", True, None) for rank in range(2)
    ]


def test_pass_in_which_nothing_was_measured_has_what_was_logged() -> None:
    rank = FakeRank(0, 1)
    records = unrolled([rank.hello(), rank.say(logged_value("loss", math.nan))])
    assert [(r.of, r.metric) for r in records] == [("logged", "loss")]
    assert math.isnan(records[0].value)


def test_said_again_is_told_once() -> None:
    items = run_of_two(epochs=3, logged=0.5)
    assert [r[:-1] for r in unrolled([*items, *items])] == [r[:-1] for r in unrolled(items)]


def test_restart_of_a_source_begins_anew() -> None:
    items = run_of_two()
    records = unrolled([*items, Restart(0.0), *items])
    assert records == [*unrolled(items), *unrolled(items)]


def test_restarted_run_is_another_generation() -> None:
    again = [FakeRank(rank, claim=f"second{rank}") for rank in range(2)]
    items = run_of_two()
    items += [said for r in again for said in (r.hello(20.0), r.declare(multiclass("val.f1")))]
    items += [r.state(4, prefix(r.rank, 5), at=21.0, final=True) for r in again]
    whole = [r for r in f1(unrolled(items)) if r.of == "global" and r.final]
    assert [r.generation for r in whole] == [0, 1]


def test_only_wanted_runs_are_told() -> None:
    items = [*run_of_two("a"), *run_of_two("b")]
    assert {r.run for r in unrolled(items, "b")} == {"b"}
    assert {r.run for r in unrolled(items, "a", "b")} == {"a", "b"}


def export(items: list[Item], to: str, out: Path | str, **more: Any) -> Any:
    stdout = io.StringIO()
    answer = reviewing.export(FakeRecording(items), to=to, out=str(out), stdout=stdout, **more)
    return answer, stdout.getvalue()


def test_csv_reads_back_as_the_same_numbers(tmp_path: Path) -> None:
    items = run_of_two(logged=0.1)
    out = tmp_path / "r.csv"
    answer, _ = export(items, "csv", out)
    rows = list(csv.DictReader(out.open(newline="")))
    records = unrolled(items)
    assert answer.remarks == (f"{len(records)} values written to {out}",)
    assert list(rows[0]) == list(COLUMNS)
    for row, record in zip(rows, records, strict=True):
        assert float(row["value"]) == record.value
        assert row["rank"] == ("" if record.rank is None else str(record.rank))
        assert row["label"] == (record.label or "")
        assert row["final"] == ("true" if record.final else "false")
        assert (row["pass"], row["step"], row["of"]) == ("0", str(record.step), record.of)
    assert export(items, "csv", "-")[1] == out.read_text()


def test_texts_in_csv_are_neither_formulas_nor_more_than_a_line() -> None:
    items = run_of_two(path=HOSTILE[:400], name="toy")
    record = unrolled(items)[0]._replace(average="=1+1|x", score="-0.5", label="-3")
    file = io.StringIO()
    write_csv([record], file)
    assert file.getvalue().count("\n") == 2
    (row,) = csv.DictReader(io.StringIO(file.getvalue()))
    assert (row["average"], row["score"], row["label"]) == ("'=1+1|x", "-0.5", "-3")
    assert not set(row["metric"]) & set("\r\n\x1b\u202e\x00")


def test_parquet_reads_back(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    items = run_of_two(logged=0.1, epochs=2)
    export(items, "parquet", tmp_path / "r.parquet")
    table = parquet.read_table(tmp_path / "r.parquet")
    assert table.column_names == list(COLUMNS)
    assert [tuple(row.values()) for row in table.to_pylist()] == unrolled(items)
    assert str(table.schema.field("rank").type) == "int32"
    assert str(table.schema.field("value").type) == "double"


def points(folder: Path) -> dict[str, list[tuple[int, float]]]:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    read = accumulator.EventAccumulator(str(folder), size_guidance={"tensors": 0, "scalars": 0})
    read.Reload()
    return {
        tag: [(event.step, event.value) for event in read.Scalars(tag)]
        for tag in read.Tags()["scalars"]
    }


def trained(items: list[Item]) -> list[Record]:
    """As if every batch were a step of the optimizer."""
    return [r._replace(global_step=5 * r.pass_ + r.step + 1) for r in unrolled(items)]


def test_tensorboard_reads_back(tmp_path: Path) -> None:
    records = trained(run_of_two(stage="train", epochs=2, logged=0.5))
    write_tensorboard(records, tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["global", "mean", "rank0", "rank1"]
    for of, folder, rank in (
        ("global", "global", None),
        ("mean", "mean", None),
        ("rank", "rank1", 1),
    ):
        expected = [(r.global_step, r.value) for r in f1(records) if (r.of, r.rank) == (of, rank)]
        drawn = points(tmp_path / folder)
        assert [x for x, _ in drawn["train/val.f1/f1"]] == [x for x, _ in expected]
        values = [value for _, value in drawn["train/val.f1/f1"]]
        assert values == pytest.approx([value for _, value in expected], rel=1e-7)
        assert "train/val.f1/recall/2" in drawn
    assert points(tmp_path / "rank0")["train/logged/val.f1"] == [(5, 0.5), (10, 0.5)]


def test_steps_of_a_validation_are_one_point_and_those_of_a_test_are_counted(
    tmp_path: Path,
) -> None:
    validated = [r._replace(global_step=10 * (r.pass_ + 1)) for r in unrolled(run_of_two(epochs=2))]
    write_tensorboard(validated, tmp_path / "validate")
    drawn = points(tmp_path / "validate" / "global")["validate/val.f1/f1"]
    ends = [r.value for r in f1(validated) if r.of == "global" and r.final]
    assert [x for x, _ in drawn] == [10, 20]
    assert [value for _, value in drawn] == pytest.approx(ends)
    write_tensorboard(unrolled(run_of_two(stage="test")), tmp_path / "test")
    assert [x for x, _ in points(tmp_path / "test" / "global")["test/val.f1/f1"]] == [0, 1, 2, 3, 4]


def test_several_runs_have_folders_that_lead_nowhere_else(tmp_path: Path) -> None:
    out = tmp_path / "tb"
    export([*run_of_two("../evil"), *run_of_two("b")], "tensorboard", out)
    folders = sorted(p.name for p in out.iterdir())
    assert len(folders) == 2
    assert folders[1] == "b"
    assert folders[0].startswith("___evil-")
    assert list(tmp_path.iterdir()) == [out]


def test_too_many_ranks_for_tensorboard_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ddpwatch.report.tensorboard_folder.MOST_RANKS", 0)
    with pytest.raises(UsageError, match="parquet or csv"):
        export(run_of_two(logged=0.5), "tensorboard", tmp_path / "tb")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("extra", ["parquet", "tensorboard"])
def test_missing_extra_is_named_before_anything_is_read(
    extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"parquet": "pyarrow.parquet", "tensorboard": "tensorboard.compat.proto.event_pb2"}
    monkeypatch.setitem(__import__("sys").modules, names[extra], None)
    with pytest.raises(UsageError, match=rf"pip install 'ddpwatch\[{extra}\]'"):
        export(run_of_two(), extra, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_only_csv_goes_to_stdout() -> None:
    with pytest.raises(UsageError, match="only csv goes to stdout"):
        export(run_of_two(), "parquet", "-")
