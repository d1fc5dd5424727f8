"""Does torchmetrics compute for itself what has no formula here, and only what is allowed?"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import msgspec
import numpy as np
import pytest
import torch

from ddpwatch.errors import StateError
from ddpwatch.metrics import allowed, fallback
from ddpwatch.metrics.evaluate import evaluate_ranks
from ddpwatch.metrics.known import identify
from ddpwatch_lightning.describe import describe
from ddpwatch_lightning.tracked import Tracked
from tests.ddp import truth_cases as cases
from tests.ddp.truth_reference import synchronised
from tests.unit.metrics.declared import metric

WORDS = ["the cat sat on the mat", "a dog", "no one is here today my friend", "the mat sat"]


def binary(make):
    target = torch.randint(2, (20,), generator=make)
    return (0.6 * target + torch.rand(20, generator=make)) / 1.6, target


def multiclass(make):
    return torch.rand(20, 3, generator=make).softmax(1), torch.randint(3, (20,), generator=make)


def multilabel(make):
    return torch.rand(20, 3, generator=make), torch.randint(2, (20, 3), generator=make)


def classes(make):
    target = torch.randint(3, (30,), generator=make)
    noise = torch.randint(3, (30,), generator=make)
    return torch.where(torch.rand(30, generator=make) < 0.6, target, noise), target


def texts(make):
    chosen = torch.randperm(4, generator=make).tolist()
    return [WORDS[chosen[0]], WORDS[chosen[1]]], [WORDS[chosen[1]], WORDS[chosen[1]]]


def translations(make):
    said, meant = texts(make)
    return said, [[text] for text in meant]


def tokens(make):
    return torch.rand(2, 8, 5, generator=make), torch.randint(5, (2, 8), generator=make)


def waves(make):
    target = torch.randn(2, 800, generator=make)
    return target + 0.3 * torch.randn(2, 800, generator=make), target


def images(make):
    target = torch.rand(2, 3, 192, 192, generator=make)
    return (target + 0.1 * torch.rand(2, 3, 192, 192, generator=make)).clamp(max=1), target


WIDTH = {"Binary": {}, "Multiclass": {"num_classes": 3}, "Multilabel": {"num_labels": 3}}
DATA = {"Binary": binary, "Multiclass": multiclass, "Multilabel": multilabel}
LIMITS = {
    "RecallAtFixedPrecision": "min_precision",
    "PrecisionAtFixedRecall": "min_recall",
    "SensitivityAtSpecificity": "min_specificity",
    "SpecificityAtSensitivity": "min_sensitivity",
}
EXAMPLES = [
    *(
        (task + kind, {**WIDTH[task], limit: 0.4, "thresholds": 11}, DATA[task])
        for task in WIDTH
        for kind, limit in LIMITS.items()
    ),
    *((f"{task}EER", {**WIDTH[task], "thresholds": 11}, DATA[task]) for task in WIDTH),
    ("MulticlassEER", {"num_classes": 3, "average": "macro", "thresholds": 11}, multiclass),
    ("CramersV", {"num_classes": 3, "bias_correction": False}, classes),
    ("TschuprowsT", {"num_classes": 3}, classes),
    ("PearsonsContingencyCoefficient", {"num_classes": 3}, classes),
    ("TheilsU", {"num_classes": 3}, classes),
    ("WordErrorRate", {}, texts),
    ("CharErrorRate", {}, texts),
    ("MatchErrorRate", {}, texts),
    ("WordInfoLost", {}, texts),
    ("WordInfoPreserved", {}, texts),
    ("BLEUScore", {"n_gram": 2, "smooth": True}, translations),
    ("BLEUScore", {"n_gram": 2, "weights": [0.3, 0.7]}, translations),
    ("Perplexity", {}, tokens),
    ("SignalNoiseRatio", {}, waves),
    ("ScaleInvariantSignalNoiseRatio", {}, waves),
    ("SignalDistortionRatio", {}, waves),
    ("ScaleInvariantSignalDistortionRatio", {}, waves),
    ("PeakSignalNoiseRatio", {"data_range": 2.0, "base": 2.0}, images),
    ("PeakSignalNoiseRatio", {"data_range": (0.0, 1.0)}, images),
    ("StructuralSimilarityIndexMeasure", {"data_range": 1.0}, images),
    ("MultiScaleStructuralSimilarityIndexMeasure", {"data_range": 1.0}, images),
]


def declared(metric):
    """Declare it as a rank does, through the wire."""
    track = describe(Tracked("val.m", metric, True), None, None)
    return msgspec.msgpack.decode(msgspec.msgpack.encode(track), type=type(track))


def flat(result):
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([part.detach().double().reshape(-1).numpy() for part in parts])


@pytest.mark.parametrize(("cls", "kwargs", "data"), EXAMPLES)
def test_values_are_those_of_the_class_itself(cls, kwargs, data, monkeypatch):
    module = import_module(allowed.find_allowed(cls).module)
    metrics = [getattr(module, cls)(**kwargs) for _ in range(3)]
    for rank, each in enumerate(metrics):
        for step in range(2):
            each.update(*data(torch.Generator().manual_seed(10 * rank + step)))
    found = evaluate_ranks(declared(metrics[0]), [cases.arrays(m) for m in metrics], cases.VERSIONS)
    assert found.local.reason == found.global_.reason == ""
    ours = np.concatenate([s.values.reshape(3, -1) for s in found.local.scores], axis=1)
    for row, each in zip(ours, metrics, strict=True):
        assert cases.agree(row, flat(each.compute()))
    monkeypatch.setattr(cases, "compute", lambda metric, sync: flat(_asked(metric)))
    together = np.concatenate([s.values.reshape(-1) for s in found.global_.scores])
    assert cases.agree(together, synchronised(metrics))
    assert all(score.own for score in found.local.scores)


def _asked(metric):
    metric._computed = None
    return metric.compute()


def test_every_allowed_class_has_an_example():
    assert {cls for cls, *_ in EXAMPLES} == set(allowed._CLASSES)
    assert not any(identify(cls) for cls in allowed._CLASSES)


EER = metric("BinaryEER", ("confmat",), thresholds=[0.0, 0.5, 1.0])


def test_another_version_is_not_asked():
    said = fallback.why_not(EER, {"torchmetrics": "1.0.3"})
    assert said.startswith("BinaryEER needs the ranks' torchmetrics 1.0.3 here; there is ")


def test_where_torchmetrics_is_missing_it_would_help(monkeypatch):
    monkeypatch.setattr(fallback, "installed", lambda: "")
    said = fallback.why_not(EER, cases.VERSIONS)
    assert said == "no formula for BinaryEER; torchmetrics beside the dashboard would compute it"


def test_a_missing_package_is_seen_without_importing(monkeypatch):
    monkeypatch.setattr(fallback, "find_spec", lambda name: None if name == "torch" else object())
    fallback.installed.cache_clear()
    assert fallback.installed() == ""
    fallback.installed.cache_clear()


@pytest.mark.parametrize("base", ["os.system", "torchmetrics.Metric", "BinaryEER.x", ""])
def test_nothing_else_is_ever_looked_up(base):
    with pytest.raises(StateError, match="allowed class"):
        fallback.ask(metric(base, ("confmat",)), {"confmat": np.zeros((1, 3, 2, 2), np.int64)})


COUNTS = np.ones((1, 3, 2, 2), np.int64)


@pytest.mark.parametrize(
    ("params", "states", "words"),
    [
        ({}, {"confmat": COUNTS}, "expected the parameter thresholds"),
        ({"thresholds": [0.0, 0.5]}, {"confmat": COUNTS}, r"state confmat: expected \(2, 2, 2\)"),
        ({"thresholds": [0.0, 0.5, 1.0]}, {"other": COUNTS}, "expected the states confmat"),
        ({"thresholds": 10**9}, {"confmat": COUNTS}, "does not go with the shapes"),
        ({"thresholds": [0.0] * 2000}, {"confmat": COUNTS}, "does not go with the shapes"),
        ({"thresholds": "many"}, {"confmat": COUNTS}, "torchmetrics cannot compute it"),
        ({"thresholds": None}, {"confmat": COUNTS}, "expected the states preds, target"),
    ],
)
def test_what_does_not_fit_is_said(params, states, words):
    with pytest.raises(StateError, match=words):
        fallback.ask(metric("BinaryEER", ("confmat",), **params), states)


def test_thousands_of_ranks_are_too_many():
    states = {"confmat": np.ones((1000, 3, 2, 2), np.int64)}
    with pytest.raises(StateError, match="at most 128 ranks"):
        fallback.ask(EER, states)


def test_torch_is_loaded_only_for_a_metric_that_needs_it():
    """In a process of its own: first a formula, then a class without one."""
    program = """
import sys
from ddpwatch.metrics.evaluate import evaluate_ranks
from tests.unit.metrics.light import EER, F1
versions = {"torchmetrics": sys.argv[1]}
assert evaluate_ranks(*F1, versions).local.scores
assert evaluate_ranks(*EER, {"torchmetrics": "0.1"}).local.reason
assert "torch" not in sys.modules and "torchmetrics" not in sys.modules
assert evaluate_ranks(*EER, versions).local.scores
assert "torch" in sys.modules
"""
    version = cases.VERSIONS["torchmetrics"]
    done = subprocess.run(
        [sys.executable, "-c", program, version],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
