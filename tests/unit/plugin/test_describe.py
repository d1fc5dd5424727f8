"""What is declared of a metric: class, plain parameters, states and labels."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest
import torch
from torchmetrics import (
    CatMetric,
    KLDivergence,
    MaxMetric,
    MeanMetric,
    Metric,
    MinkowskiDistance,
    R2Score,
)
from torchmetrics.classification import (
    BinaryAUROC,
    F1Score,
    MulticlassCohenKappa,
    MulticlassConfusionMatrix,
    MulticlassF1Score,
    MultilabelAccuracy,
)

from ddpwatch.wire.messages import TrackedMetric
from ddpwatch_lightning.describe import describe
from ddpwatch_lightning.tracked import Tracked


class Named(MulticlassF1Score):
    """Changes nothing that a formula depends on."""

    def plot(self, *_: object) -> object:
        return None


class Different(MulticlassF1Score):
    def compute(self) -> torch.Tensor:
        return super().compute() * 2


class Own(Metric):
    def __init__(self) -> None:
        super().__init__()
        self.add_state("worst", torch.tensor(0.0), dist_reduce_fx=lambda each: each.amin(0))
        self.add_state("mean", torch.zeros(2, dtype=torch.bfloat16), dist_reduce_fx="mean")
        self.add_state("rest", [], dist_reduce_fx=None)

    def update(self) -> None: ...

    def compute(self) -> None: ...


def described(metric: Metric, labels: object = None, module: object = None) -> TrackedMetric:
    return describe(Tracked("val.f1", metric, True), module, labels)  # type: ignore[arg-type]


def test_a_plain_metric() -> None:
    metric = MulticlassF1Score(3, average="weighted", ignore_index=1)
    seen = described(metric)
    assert (seen.path, seen.cls, seen.base) == ("val.f1", "MulticlassF1Score", "MulticlassF1Score")
    assert seen.params["average"] == "weighted"
    assert seen.params["num_classes"] == 3
    assert seen.params["ignore_index"] == 1
    assert [(each.name, each.reduction, each.dtype) for each in seen.states] == [
        (name, "sum", "int64") for name in ("tp", "fp", "tn", "fn")
    ]
    assert (seen.registered, seen.device, seen.object) == (True, "cpu", id(metric))


@pytest.mark.parametrize(
    ("metric", "cls", "base"),
    [
        (F1Score(task="multiclass", num_classes=3), "MulticlassF1Score", "MulticlassF1Score"),
        (Named(3), "Named", "MulticlassF1Score"),
        (Different(3), "Different", ""),
        (Own(), "Own", ""),
        (MeanMetric(), "MeanMetric", "MeanMetric"),
    ],
)
def test_base_is_the_class_whose_formula_holds(metric: Metric, cls: str, base: str) -> None:
    seen = described(metric)
    assert (seen.cls, seen.base) == (cls, base)


def test_reductions_and_kinds_of_states() -> None:
    assert [(s.name, s.reduction, s.dtype, s.is_list) for s in described(Own()).states] == [
        ("worst", "custom", "float32", False),
        ("mean", "mean", "bfloat16", False),
        ("rest", "none", "", True),
    ]
    assert described(CatMetric()).states[0].reduction == "cat"
    assert described(MaxMetric()).states[0].reduction == "max"


@pytest.mark.parametrize(
    ("metric", "name", "value"),
    [
        (MulticlassConfusionMatrix(3, normalize="true"), "normalize", "true"),
        (MulticlassCohenKappa(3, weights="linear"), "weights", "linear"),
        (MulticlassF1Score(3, top_k=2), "top_k", 2),
        (MultilabelAccuracy(3, threshold=0.25), "threshold", 0.25),
        (BinaryAUROC(thresholds=3), "thresholds", [0.0, 0.5, 1.0]),
        (BinaryAUROC(thresholds=None), "thresholds", None),
        (BinaryAUROC(max_fpr=0.5), "max_fpr", 0.5),
        (R2Score(adjusted=2, multioutput="raw_values"), "multioutput", "raw_values"),
        (R2Score(adjusted=2), "adjusted", 2),
        (MinkowskiDistance(p=3), "p", 3),
        (KLDivergence(reduction="sum"), "reduction", "sum"),
    ],
)
def test_parameters_are_plain_data(metric: Metric, name: str, value: object) -> None:
    params = described(metric).params
    assert params[name] == value
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(params)) == params


def test_what_is_not_plain_is_left_out() -> None:
    metric = MulticlassF1Score(3)
    metric.weights = object()  # type: ignore[assignment]
    metric.thresholds = torch.zeros(65_537)
    metric.norm = [1, object()]  # type: ignore[assignment]
    assert not {"weights", "thresholds", "norm"} & described(metric).params.keys()


def test_the_thresholds_of_a_fine_curve_pass() -> None:
    metric = BinaryAUROC(thresholds=65_536)
    assert described(metric).params["thresholds"] == metric.thresholds.tolist()


def test_labels_come_from_the_module_where_their_number_fits() -> None:
    module = SimpleNamespace(class_names=["a", "b", "c"])
    assert described(MulticlassF1Score(3), module=module).labels == ("a", "b", "c")
    assert described(MultilabelAccuracy(3), module=module).labels == ("a", "b", "c")
    assert described(MulticlassF1Score(4), module=module).labels == ()
    assert described(MeanMetric(), module=module).labels == ()


def test_describing_reads_no_live_state() -> None:
    metric = MulticlassF1Score(3)
    before = described(metric)
    metric.tp = "torn"  # type: ignore[assignment]
    assert described(metric) == before
