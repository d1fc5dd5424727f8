"""Curves and correlations of real ranks: does what they send yield what their own sync yields?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MetricCollection, PearsonCorrCoef
from torchmetrics.classification import BinaryAUROC, BinaryAveragePrecision, BinaryEER
from torchmetrics.classification import BinaryPrecisionRecallCurve as Curve

from ddpwatch.metrics.evaluate import evaluate_ranks
from ddpwatch.metrics.values import RankEvaluation, Score
from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array, Declare, State
from tests.ddp import ranks, recorder
from tests.ddp.test_cases import validated
from tests.ddp.training import Judge, rank
from tests.ddp.truth_cases import VERSIONS
from tests.ddp.truth_curves import BEST, best_points

pytestmark = pytest.mark.ddp

SAMPLES = [([0.9, 0.8, 0.7], [1, 0, 1]), ([0.2, 0.1, 0.4], [1, 0, 0])]
LEVELS = [0.0, 0.15, 0.25, 0.35, 0.55, 0.75, 0.85, 0.95]
"""Between any two scores, so that the binned area is the exact one."""


class Curves(Judge):
    """Three metrics that share a curve, two that have no formula or no states to send, and one
    whose states no sum can join."""

    def __init__(self) -> None:
        super().__init__()
        self.binned = MetricCollection(
            [Curve(LEVELS), BinaryAUROC(thresholds=LEVELS), BinaryAveragePrecision(LEVELS)]
        )
        self.exact = BinaryAUROC()
        self.eer = BinaryEER(LEVELS)
        self.pearson = PearsonCorrCoef()
        self.found: dict[str, Any] = {}

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        scores, target = batch
        for metric in (self.binned, self.exact, self.eer):
            metric.update(scores, target)
        self.pearson.update(scores, target.float())

    def on_validation_epoch_end(self) -> None:
        computed = self.binned.compute()
        curve = computed.pop("BinaryPrecisionRecallCurve")
        self.found = {name: float(value) for name, value in computed.items()}
        self.found["best"] = best_points(*curve).tolist()
        self.found["exact"], self.found["eer"] = (
            float(self.exact.compute()),
            float(self.eer.compute()),
        )
        self.found["pearson"] = float(self.pearson.compute())


def watched() -> Any:
    scores, target = (torch.tensor(part) for part in SAMPLES[rank()])
    model = Curves()
    messages, _ = validated(model, DataLoader(TensorDataset(scores, target), batch_size=2))
    return messages, model.found


@pytest.fixture(scope="module")
def run() -> list[Any]:
    return ranks.run(watched, 2)


def evaluated(run: list[Any], path: str) -> RankEvaluation:
    """Evaluate one metric from the final states of both ranks, as the board does."""
    states = []
    for messages, _ in run:
        (declared,) = recorder.of(Declare, messages)
        final: State = recorder.finals(messages)["validate", 0, 0]
        index = next(i for i, m in enumerate(declared.metrics) if m.path == path)
        held = {each.metric: each for each in final.metrics}
        mine = held[index] if held[index].leader < 0 else held[held[index].leader]
        states.append([to_numpy(s) if isinstance(s, Array) else s for s in mine.states])
    return evaluate_ranks(declared.metrics[index], states, VERSIONS)


def value(scores: tuple[Score, ...], name: str) -> float:
    return next(float(each.values[0]) for each in scores if each.name == name)


@pytest.mark.parametrize(
    ("path", "score", "key"),
    [
        ("binned.BinaryAUROC", "auroc", "BinaryAUROC"),
        ("binned.BinaryAveragePrecision", "average_precision", "BinaryAveragePrecision"),
        ("eer", "eer", "eer"),
        ("pearson", "pearson", "pearson"),
    ],
)
def test_the_global_value_is_that_of_the_ranks_own_sync(
    run: list[Any], path: str, score: str, key: str
) -> None:
    together = value(evaluated(run, path).global_.scores, score)
    for _, found in run:
        assert together == pytest.approx(found[key], abs=1e-6)


def test_an_area_is_not_the_mean_of_ranks(run: list[Any]) -> None:
    found = evaluated(run, "binned.BinaryAUROC")
    assert found.local.scores[0].values.tolist() == [0.5, 0.5]
    assert value(found.global_.scores, "auroc") == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "cls", ["BinaryPrecisionRecallCurve", "BinaryAUROC", "BinaryAveragePrecision"]
)
def test_the_best_threshold_is_that_of_the_synchronised_curve(run: list[Any], cls: str) -> None:
    found = evaluated(run, f"binned.{cls}").global_.scores
    ours = [value(found, name) for name in BEST]
    for _, theirs in run:
        assert np.array_equal(ours, theirs["best"], equal_nan=True)


def test_ranks_would_choose_other_thresholds(run: list[Any]) -> None:
    """Rank 0 has only high scores, rank 1 only low ones."""
    found = evaluated(run, "binned.BinaryPrecisionRecallCurve")
    local = next(each for each in found.local.scores if each.name == "best_threshold")
    assert local.values.tolist() == [0.0, pytest.approx(0.15)]


def test_without_thresholds_nothing_is_recomputed(run: list[Any]) -> None:
    """The ranks know it (2/3); samples were not sent, so it is not guessed."""
    found = evaluated(run, "exact")
    assert found.local.scores == found.global_.scores == ()
    assert "not recomputed; thresholds=200 would keep counts" in found.global_.reason
    assert run[0][1]["exact"] == pytest.approx(2 / 3)
