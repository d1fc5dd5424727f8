"""Does the dashboard answer the question that `demo/multilabel.py` asks?

It trains on two real ranks; what it gathered by hand is pooled here and judged by scikit-learn.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from tests.e2e.test_cli import ddpwatch
from tests.e2e.watched import epochs, watch

pytestmark = pytest.mark.ddp

LABELS = ["even", "prime", "has a loop", "at least five"]


def train() -> tuple[Any, Any]:
    """Train, and return this rank's labels and scores of the last validation."""
    import torch

    from demo import multilabel

    class Kept(multilabel.Digits):
        kept: tuple[Any, Any]

        def on_validation_epoch_end(self) -> None:
            self.kept = tuple(
                torch.cat([output[key] for output in self.outputs]).numpy()
                for key in ("labels", "predictions")
            )
            super().on_validation_epoch_end()

    multilabel.Digits = Kept  # type: ignore[misc]
    module: Any = multilabel.run(2, 3)
    return module.kept


@pytest.fixture(scope="module")
def trained() -> tuple[dict[str, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The last validation in the report; labels and scores, one array of each per rank."""
    report, ended = watch(train, 2)
    labels, scores = zip(*(each.result for each in ended), strict=True)
    return report, labels, scores


def shares(trained: Any) -> list[tuple[Any, Any]]:
    """Labels and scores of rank 0, of rank 1, and of all."""
    _, labels, scores = trained
    pooled = (np.concatenate(labels), np.concatenate(scores))
    return [*zip(labels, scores, strict=True), pooled]


def last(trained: Any) -> dict[str, Any]:
    return epochs(trained[0], "validate")[-1]


def shown(epoch: dict[str, Any], score: str, label: str) -> list[float]:
    """What the report says of rank 0, rank 1 and all."""
    (found,) = [m for m in epoch["metrics"] if m["score"] == score and m["label"] == label]
    return [*found["ranks"], found["global"]]


def test_ranks_hold_different_classes_and_one_sample_twice(trained: Any) -> None:
    sizes = [len(labels) for labels, _ in shares(trained)]
    assert sizes == [181, 181, 362], "361 images do not divide by two: one is counted twice"
    balance = [labels[:, 3].mean() for labels, _ in shares(trained)[:2]]
    assert abs(balance[0] - balance[1]) > 0.2


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize(
    ("score", "reference"),
    [("best_f1", f1_score), ("best_precision", precision_score), ("best_recall", recall_score)],
)
def test_scores_at_the_best_threshold_are_those_of_the_whole_set(
    trained: Any, number: int, score: str, reference: Any
) -> None:
    epoch, label = last(trained), LABELS[number]
    thresholds = shown(epoch, "best_threshold", label)
    expected = [
        reference(labels[:, number], scores[:, number] >= threshold)
        for (labels, scores), threshold in zip(shares(trained), thresholds, strict=True)
    ]
    assert shown(epoch, score, label) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("number", range(4))
def test_no_threshold_of_those_searched_is_better(trained: Any, number: int) -> None:
    best = shown(last(trained), "best_f1", LABELS[number])
    for (labels, scores), value in zip(shares(trained), best, strict=True):
        f1 = [f1_score(labels[:, number], scores[:, number] >= t) for t in np.linspace(0, 1, 101)]
        assert value == pytest.approx(max(f1), abs=1e-6)


def test_ranks_disagree_and_their_mean_is_not_the_value_of_the_whole_set(trained: Any) -> None:
    epoch = last(trained)
    gaps = []
    for label in LABELS:
        rank0, rank1, together = shown(epoch, "best_f1", label)
        gaps.append(abs((rank0 + rank1) / 2 - together))
    assert max(gaps) > 0.01


def test_it_is_one_command() -> None:
    done = ddpwatch("demo", "multilabel", "--headless", "--epochs", "1", "--format", "json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["run"]["name"], report["run"]["world_size"]) == ("digits-multilabel", 2)
    (epoch,) = epochs(report, "validate")
    assert {m["label"] for m in epoch["metrics"]} > set(LABELS)


def test_what_was_printed_and_given_to_the_logger_is_seen(trained: Any) -> None:
    """The value that every rank gave to the writer was kept from rank 0 only."""
    report = trained[0]
    (finding,) = [f for f in report["findings"] if f["code"] == "DW107"]
    assert finding["severity"] == "info"
    assert finding["ranks"] == [1]
    assert not [f for f in report["findings"] if f["severity"] == "error"]
