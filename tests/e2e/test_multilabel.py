"""Does the dashboard answer the question that `demo/multilabel.py` asks?

It trains on two real ranks; what it gathered by hand is pooled here and judged by scikit-learn.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import f1_score, precision_score, recall_score

from ddpwatch.board.snapshot import RunView, View
from ddpwatch.report.document import build_report, to_json
from tests.e2e.test_cli import ddpwatch
from tests.e2e.watched import epochs, follow

pytestmark = pytest.mark.ddp

Samples: TypeAlias = NDArray[np.float32]

LABELS = ["even", "prime", "has a loop", "at least five"]


def train() -> list[Samples]:
    """Train, and return this rank's labels and scores of the last validation."""
    import torch

    from demo import multilabel

    class Kept(multilabel.Digits):
        def on_validation_epoch_end(self) -> None:
            self.kept = [
                torch.cat([output[key] for output in self.outputs]).numpy()
                for key in ("labels", "predictions")
            ]
            super().on_validation_epoch_end()

    multilabel.Digits = Kept  # type: ignore[misc]
    module: Any = multilabel.run(2, 3)
    kept: list[Samples] = module.kept
    return kept


@dataclass(frozen=True)
class Trained:
    """What a viewer knows in the end; samples of the last validation: rank 0, rank 1, all."""

    run: RunView
    report: dict[str, Any]
    samples: list[list[Samples]]


@pytest.fixture(scope="module")
def trained() -> Trained:
    board, ended = follow(train, 2)
    run = board.snapshot(View(stage="validate")).run
    assert run is not None
    known = board.runs[run.run]
    report = msgspec.json.decode(to_json(build_report(known, board.now, board.findings(known))))
    each = [rank.result for rank in ended]
    pooled = [np.concatenate(part) for part in zip(*each, strict=True)]
    return Trained(run, report, [*each, pooled])


def last(trained: Trained) -> Any:
    return epochs(trained.report, "validate")[-1]


def shown(epoch: dict[str, Any], score: str, label: str) -> list[float]:
    """What the report says of rank 0, rank 1 and all."""
    (found,) = [m for m in epoch["metrics"] if m["score"] == score and m["label"] == label]
    return [*found["ranks"], found["global"]]


def test_ranks_hold_different_classes_and_one_sample_twice(trained: Trained) -> None:
    sizes = [len(labels) for labels, _ in trained.samples]
    assert sizes == [181, 181, 362], "361 images do not divide by two: one is counted twice"
    balance = [labels[:, 3].mean() for labels, _ in trained.samples[:2]]
    assert abs(balance[0] - balance[1]) > 0.2


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize(
    ("score", "reference"),
    [("best_f1", f1_score), ("best_precision", precision_score), ("best_recall", recall_score)],
)
def test_scores_at_the_best_threshold_are_those_of_the_whole_set(
    trained: Trained, number: int, score: str, reference: Any
) -> None:
    epoch, label = last(trained), LABELS[number]
    thresholds = shown(epoch, "best_threshold", label)
    expected = [
        reference(labels[:, number], scores[:, number] >= threshold)
        for (labels, scores), threshold in zip(trained.samples, thresholds, strict=True)
    ]
    assert shown(epoch, score, label) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("number", range(4))
def test_no_threshold_of_those_searched_is_better(trained: Trained, number: int) -> None:
    best = shown(last(trained), "best_f1", LABELS[number])
    for (labels, scores), value in zip(trained.samples, best, strict=True):
        f1 = [f1_score(labels[:, number], scores[:, number] >= t) for t in np.linspace(0, 1, 101)]
        assert value == pytest.approx(max(f1), abs=1e-6)


def test_ranks_disagree_and_their_mean_is_not_the_value_of_the_whole_set(trained: Trained) -> None:
    epoch = last(trained)
    gaps = []
    for label in LABELS:
        rank0, rank1, together = shown(epoch, "best_f1", label)
        gaps.append(abs((rank0 + rank1) / 2 - together))
    assert max(gaps) > 0.01


def test_the_logged_mean_of_batches_stands_beside_the_value_of_the_whole_set(
    trained: Trained,
) -> None:
    """Both ranks ended with the same value, and it is not F1 of all samples."""
    assert trained.run.logged is not None
    (key,) = [row for row in trained.run.logged.rows if row.id.name == "val_f1"]
    labels, scores = trained.samples[-1]
    assert key.reduction == "mean-of-batches"
    assert key.ranks[0] == key.ranks[1]
    assert key.global_ == pytest.approx(f1_score(labels, scores > 0.5, average="macro"), abs=1e-6)
    assert key.gap is not None
    assert key.gap < -0.01


def test_what_each_rank_gave_to_the_logger_is_seen_and_what_was_thrown_away(
    trained: Trained,
) -> None:
    rows = {row.tag: row for row in trained.run.logger_rows if row.method == "add_scalar"}
    assert set(rows) == {
        f"{name}/{label}" for name in ("f1", "precision", "recall", "threshold") for label in LABELS
    }
    for label in LABELS:
        row = rows[f"f1/{label}"]
        assert row.hook == "on_validation_epoch_end"
        assert (row.calls.tolist(), row.written.tolist()) == ([3, 3], [True, False])
        assert row.values[0] != row.values[1]


def test_printed_lines_say_which_ranks_ran_the_hook(trained: Trained) -> None:
    """One line is printed by both ranks, the one under `if` by rank 0 only."""
    printed = [line for line in trained.run.output if line.hook == "on_validation_epoch_end"]
    by_all = [line for line in printed if "outputs gathered" in line.text]
    by_one = [line for line in printed if "F1 even" in line.text]
    assert [(line.ranks, line.count) for line in by_all] == [((0, 1), 2)] * 3
    assert [line.ranks for line in by_one] == [(0,)] * 3


def test_no_outputs_had_to_travel(trained: Trained) -> None:
    """What a rank sends per step does not grow with the samples: 101 thresholds of 4 labels."""
    assert trained.run.table is not None
    assert 101 * 4 * 4 * 8 <= (trained.run.table.bytes_per_rank or 0) < 20_000


def test_findings_name_the_mean_and_what_was_thrown_away(trained: Trained) -> None:
    found = {each["code"]: each for each in trained.report["findings"]}
    assert found["DW102"]["key"] == "val_f1"
    assert found["DW107"]["severity"] == "info"
    assert found["DW107"]["ranks"] == [1]
    assert not [each for each in found.values() if each["severity"] == "error"]


def test_it_is_one_command() -> None:
    done = ddpwatch("demo", "multilabel", "--headless", "--epochs", "1", "--format", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["run"]["name"], report["run"]["world_size"]) == ("digits-multilabel", 2)
    (epoch,) = epochs(report, "validate")
    assert {m["label"] for m in epoch["metrics"]} > set(LABELS)
