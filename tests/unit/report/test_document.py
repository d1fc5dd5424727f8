"""Does the report say what the board knows, in a form that any JSON reader takes?"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from ddpwatch.board.board import Board
from ddpwatch.report.document import build_report, number, to_json
from ddpwatch.report.text import to_text
from ddpwatch.wire.arrays import from_numpy
from ddpwatch.wire.messages import Emitted, Logged, LoggedKey, StateSpec, TrackedMetric
from tests.unit.board.builders import FakeRank, counts, multiclass

SHARDS = (([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2]))


def watched() -> Board:
    board = Board()
    for rank, (preds, target) in enumerate(SHARDS):
        fake = FakeRank(rank)
        board.fold([fake.hello(), fake.declare(multiclass("val.f1", labels=None))])
        board.fold([fake.state(1, counts(preds, target), final=True, steps=2, samples=len(preds))])
        board.fold([fake.bye(1.0)])
    return board


def report_of(board: Board) -> dict:  # type: ignore[type-arg]
    return json.loads(to_json(build_report(board.runs["r"], board.now)))  # type: ignore[no-any-return]


def test_report_has_the_promised_keys_and_numbers() -> None:
    report = report_of(watched())
    assert list(report) == ["run", "epochs", "findings"]
    assert report["run"]["name"] == "toy"
    assert report["run"]["world_size"] == 2
    assert report["run"]["ranks"][1] == {
        "rank": 1, "host": "n0", "pid": 101, "status": "ended", "last_step": None,
    }  # fmt: skip
    (epoch,) = report["epochs"]
    assert {k: epoch[k] for k in ("stage", "pass", "epoch", "step", "steps", "final")} == {
        "stage": "validate", "pass": 0, "epoch": 0, "step": 1, "steps": 2, "final": True,
    }  # fmt: skip
    first = epoch["metrics"][0]
    assert (first["name"], first["class"], first["score"]) == ("val.f1", "MulticlassF1Score", "f1")
    assert (first["own"], first["average"], first["label"]) == (True, "macro", None)
    assert first["ranks"] == pytest.approx([0.8222, 0.4444], abs=1e-4)
    assert first["mean_of_ranks"] == pytest.approx(0.6333, abs=1e-4)
    assert first["global"] == pytest.approx(0.6794, abs=1e-4)
    assert first["samples"] == [5, 4]
    assert first["reason"] is None


def test_label_rows_come_in_class_order() -> None:
    metrics = report_of(watched())["epochs"][0]["metrics"]
    labels = [m["label"] for m in metrics if m["score"] == "recall" and m["label"] is not None]
    assert labels == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.5, 0.5), (None, None), (math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf")],
)
def test_numbers_that_json_cannot_say_are_words(value: float | None, said: object) -> None:
    assert number(value) == said


def test_values_that_are_absent_are_null_and_have_a_reason() -> None:
    board, rank = Board(), FakeRank(0, 2)
    board.fold([rank.hello(), rank.declare(multiclass("f1")), rank.state(0, counts(*SHARDS[0]))])
    metric = report_of(board)["epochs"][0]["metrics"][0]
    assert metric["ranks"][1] is None
    assert metric["global"] is None
    assert metric["reason"] == "nothing yet from rank 1"


def test_metric_without_a_formula_is_listed_with_its_reason() -> None:
    board, rank = Board(), FakeRank(0, 1)
    odd = TrackedMetric(
        path="odd", cls="mine.Odd", states=(StateSpec(name="x", reduction="sum", dtype="float32"),)
    )
    board.fold([rank.hello(), rank.declare(odd)])
    board.fold([rank.state(0, (from_numpy(np.float32([1])),), final=True)])
    (metric,) = report_of(board)["epochs"][0]["metrics"]
    assert (metric["class"], metric["global"]) == ("Odd", None)
    assert "Odd" in metric["reason"]


def test_table_shows_every_rank_the_mean_and_the_global_value() -> None:
    board = watched()
    lines = to_text(build_report(board.runs["r"], board.now), width=100).splitlines()
    assert lines[0] == "toy  run r  2 ranks  ended"
    row = next(line for line in lines if line.startswith("val.f1 macro"))
    assert row.split() == ["val.f1", "macro", "0.822", "0.444", "0.633", "0.679", "-0.046"]
    assert next(line for line in lines if line.startswith("samples")).split()[1:] == ["5", "4", "9"]


def test_a_best_threshold_stands_with_its_labels_below_its_own_name() -> None:
    board, rank = Board(), FakeRank(0, 1)
    curve = TrackedMetric(
        path="val.prc",
        cls="MultilabelPrecisionRecallCurve",
        base="MultilabelPrecisionRecallCurve",
        params={"num_labels": 2, "thresholds": [0.25, 0.75]},
        labels=("even", "prime"),
        states=(StateSpec(name="confmat", reduction="sum", dtype="int64"),),
    )
    # Labels have one positive and one negative sample; 0.25 is too low for the second label.
    confmat = np.array([[[[1, 0], [0, 1]], [[0, 1], [0, 1]]], [[[1, 0], [1, 0]], [[1, 0], [0, 1]]]])
    board.fold([rank.hello(), rank.declare(curve)])
    board.fold([rank.state(0, (from_numpy(confmat),), final=True)])
    report = build_report(board.runs["r"], board.now)
    lines = to_text(report, width=100).splitlines()
    place = lines.index("val.prc best_threshold")
    rows = [line.split() for line in lines[place + 1 : place + 3]]
    assert rows == [
        ["even", "0.250", "0.250", "0.250", "0.000"],
        ["prime", "0.750", "0.750", "0.750", "0.000"],
    ]
    entries = [m for m in report_of(board)["epochs"][0]["metrics"] if "threshold" in m["score"]]
    assert [(m["label"], m["average"], m["own"]) for m in entries] == [
        ("even", "none", False),
        ("prime", "none", False),
    ]


def test_table_of_many_ranks_gives_worst_and_best_in_the_width_there_is() -> None:
    board = Board()
    for rank in range(20):
        fake = FakeRank(rank, 20)
        board.fold([fake.hello(), fake.declare(multiclass("f1"))])
        board.fold([fake.state(0, counts(*SHARDS[rank % 2]), final=True)])
    lines = to_text(build_report(board.runs["r"], board.now), width=80).splitlines()[1:]
    assert all(len(line) <= 80 for line in lines)
    row = next(line for line in lines if line.startswith("f1 macro"))
    assert row.split()[2:4] == ["0.444", "0.822"]


def test_names_from_outside_are_made_harmless() -> None:
    board, rank = Board(), FakeRank(0, 1)
    board.fold([rank.hello(name="evil\x1b[31m"), rank.declare(multiclass("f1\x1b[2J"))])
    board.fold([rank.state(0, counts(*SHARDS[0]), final=True)])
    text = to_text(build_report(board.runs["r"], board.now), width=100)
    assert "\x1b" not in text


def test_run_of_which_nothing_has_come_says_so() -> None:
    board, rank = Board(), FakeRank(0, 1)
    board.fold([rank.hello()])
    text = to_text(build_report(board.runs["r"], board.now), width=80)
    assert "no pass of any stage has come" in text


def test_what_was_logged_stands_beside_the_true_value() -> None:
    board, ranks = Board(), [FakeRank(rank) for rank in range(2)]
    for rank, value in zip(ranks, (0.75, 0.25), strict=True):
        key = LoggedKey(
            hook="validation_step",
            name="f1",
            on_epoch=True,
            calls=1,
            weighted_sum=2 * value,
            weight=2.0,
            total=value,
            last=value,
        )
        emitted = Emitted(key=0, name="f1", kind="epoch", local=value, value=value)
        logged = Logged(
            stage="validate", pass_=0, epoch=0, step=0, final=True, keys=(key,), emitted=(emitted,)
        )
        said = (
            rank.hello(),
            rank.declare(multiclass("f1")),
            rank.state(0, counts([0, 1], [0, 1]), final=True),
            rank.say(logged),
        )
        board.fold(said)
    report = report_of(board)
    (epoch,) = report["epochs"]
    (entry,) = epoch["logged"]
    assert (entry["key"], entry["hook"], entry["metric"]) == ("f1", "validation_step", "f1")
    assert (entry["local"], entry["ranks"]) == ([0.75, 0.25], [0.75, 0.25])
    assert (entry["reduction"], entry["global"], entry["gap"]) == ("rank-local", 1.0, -0.25)
    (run,) = board.runs.values()
    text = to_text(build_report(run, board.now), 100)
    assert "rank-local" in text and "-0.250" in text
