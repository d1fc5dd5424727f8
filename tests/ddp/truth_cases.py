"""Which metrics, on which data, does torchmetrics have to agree with us about?

A seed decides everything: class, arguments, and what every rank sees. Any torchmetrics from 1.0 on
can be the reference, so nothing newer than 1.0 is used without asking for it.
"""

from __future__ import annotations

import copy
import dataclasses
import random
from typing import Any

import numpy as np
import torch
import torchmetrics
import torchmetrics.classification as tmc
from torchmetrics import Metric

from ddpwatch.metrics.values import Evaluation, Score
from ddpwatch.wire.messages import ListSize, StateSpec, TrackedMetric
from tests.ddp import truth_curves, truth_sums

VERSIONS = {"torchmetrics": torchmetrics.__version__}
_VERSION = tuple(map(int, torchmetrics.__version__.split(".")[:3]))

STAT_SCORES = (
    "StatScores",
    "Accuracy",
    "Precision",
    "Recall",
    "F1Score",
    "FBetaScore",
    "Specificity",
    "HammingDistance",
    "NegativePredictiveValue",
)
FROM_CONFUSION = ("ConfusionMatrix", "JaccardIndex", "MatthewsCorrCoef", "CohenKappa")
AGGREGATORS = ("MeanMetric", "SumMetric", "MinMetric", "MaxMetric")
TASKS = ("Binary", "Multiclass", "Multilabel")

_REDUCTIONS = {
    "dim_zero_sum": "sum",
    "dim_zero_mean": "mean",
    "dim_zero_max": "max",
    "dim_zero_min": "min",
    "dim_zero_cat": "cat",
}


@dataclasses.dataclass(frozen=True)
class Case:
    """One class with its arguments; `width` is the number of classes or labels."""

    seed: int
    cls: str
    task: str
    width: int
    kwargs: dict[str, Any]
    multidim: bool
    empty_rank: int | None


def draw(seed: int, world_size: int) -> Case:
    """Choose a case. One case in four has a rank without any samples."""
    choose = random.Random(f"{seed}:{world_size}")
    empty = choose.randrange(world_size) if world_size > 1 and choose.random() < 0.25 else None
    kind_of_state = choose.random()
    if kind_of_state < 0.1:
        return Case(seed, choose.choice(AGGREGATORS), "", 0, {}, False, empty)
    if kind_of_state < 0.3:
        cls, kwargs = truth_sums.draw(choose)
        empty = empty if truth_sums.allows_empty(cls) else None
        return Case(seed, cls, "", 0, kwargs, False, empty)
    return _draw_classification(seed, choose, empty, are_curves=kind_of_state < 0.5)


def _draw_classification(
    seed: int, choose: random.Random, empty: int | None, *, are_curves: bool
) -> Case:
    counts = (*STAT_SCORES, *FROM_CONFUSION, "JaccardIndex", "ExactMatch")
    while True:
        task = choose.choice(TASKS)
        kind = choose.choice(truth_curves.CURVES if are_curves else counts)
        if hasattr(tmc, task + kind):
            break
    width = {"Binary": 2, "Multiclass": choose.randint(3, 7), "Multilabel": choose.randint(2, 5)}
    kwargs = _kwargs(choose, task, kind, width[task])
    multidim = kwargs.get("multidim_average") == "samplewise" or choose.random() < 0.2
    multidim = multidim or (task + kind) == "MulticlassExactMatch"
    return Case(seed, task + kind, task, width[task], kwargs, multidim, empty)


def _kwargs(choose: random.Random, task: str, kind: str, width: int) -> dict[str, Any]:
    if kind in truth_curves.CURVES:
        name = {"Multiclass": "num_classes", "Multilabel": "num_labels"}.get(task)
        return truth_curves.kwargs(choose, task, kind) | ({name: width} if name else {})
    kwargs: dict[str, Any] = {"ignore_index": choose.choice([None, None, 0, 1, -1, width])}
    if task == "Multiclass":
        kwargs["num_classes"] = width
    else:
        kwargs["threshold"] = choose.choice([0.3, 0.5, 0.7])
        kwargs["ignore_index"] = choose.choice([None, None, -1])
    if task == "Multilabel":
        kwargs["num_labels"] = width
    if task != "Binary" and kind in (*STAT_SCORES, "JaccardIndex"):
        kwargs["average"] = choose.choice(["macro", "macro", "micro", "weighted", "none", None])
    if kind in (*STAT_SCORES, "ExactMatch"):
        kwargs["multidim_average"] = "samplewise" if choose.random() < 0.05 else "global"
    if task == "Multiclass" and kind in STAT_SCORES:
        kwargs["top_k"] = choose.choice([1, 1, 2, 3])
    kwargs.update(_special(choose, kind))
    return kwargs


def _special(choose: random.Random, kind: str) -> dict[str, Any]:
    kwargs: dict[str, Any] = {}
    if kind == "FBetaScore":
        kwargs["beta"] = choose.choice([0.5, 1.0, 2.0, 3.7])
    if kind == "ConfusionMatrix":
        kwargs["normalize"] = choose.choice([None, "none", "true", "pred", "all"])
    if kind == "CohenKappa":
        kwargs["weights"] = choose.choice([None, "none", "linear", "quadratic"])
    divides = ("Precision", "Recall", "F1Score", "FBetaScore", "JaccardIndex", "Accuracy")
    if kind in divides and _VERSION >= (1, 4) and choose.random() < 0.6:
        words = ["warn", "nan"] if _VERSION >= (1, 6, 2) else []
        kwargs["zero_division"] = choose.choice([0, 1, 1.0, 0.5, *words])
        kwargs["validate_args"] = False
    return kwargs


def build(case: Case) -> Metric:
    """Make the metric."""
    owner = torchmetrics if case.cls in AGGREGATORS else truth_sums.owner(case.cls) or tmc
    metric: Metric = getattr(owner, case.cls)(**case.kwargs)
    return metric


def feed(metric: Metric, case: Case, rank: int) -> None:
    """Update the metric with one rank's own batches: none, one, two or three."""
    if rank == case.empty_rank:
        return
    make = torch.Generator().manual_seed(case.seed * 1009 + rank)
    choose = random.Random(f"{case.seed}:{rank}")
    for _ in range(choose.choice([1, 2, 3])):
        metric.update(*_batch(case, choose, make))


def _batch(case: Case, choose: random.Random, make: torch.Generator) -> tuple[torch.Tensor, ...]:
    size = (choose.randint(1, 12), *([3] if case.multidim else []))
    if case.task == "" and case.cls not in AGGREGATORS:
        return truth_sums.batch(case.cls, case.kwargs, case.seed, make)
    if case.cls in AGGREGATORS:
        values = torch.randn(size, generator=make)
        return (values, torch.rand(size, generator=make)) if case.cls == "MeanMetric" else (values,)
    if case.task == "Multiclass":
        return _classes(case, choose, make, size)
    shape = size if case.task == "Binary" else (size[0], case.width, *size[1:])
    positive = choose.choice([0.0, 0.2, 0.5, 1.0])
    target = (torch.rand(shape, generator=make) < positive).long()
    preds = (0.6 * target + torch.rand(shape, generator=make)) / 1.6
    preds = (preds + choose.choice([0.0, 0.0, -0.7, 0.7])).clamp(0, 1)
    return preds, _ignored(case, target, make)


def _classes(
    case: Case, choose: random.Random, make: torch.Generator, size: tuple[int, ...]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw from some of the classes only, so that others are absent from a rank or from all."""
    present = torch.tensor(choose.sample(range(case.width), choose.randint(1, case.width)))
    target = present[torch.randint(len(present), size, generator=make)]
    right = torch.nn.functional.one_hot(target, case.width).movedim(-1, 1)
    preds = torch.rand(right.shape, generator=make) + right * choose.choice([0.0, 0.4, 2.0])
    are_labels_enough = case.kwargs.get("top_k", 1) == 1 and "thresholds" not in case.kwargs
    if are_labels_enough and choose.random() < 0.5:
        preds = preds.argmax(1)
    return preds, _ignored(case, target, make)


def _ignored(case: Case, target: torch.Tensor, make: torch.Generator) -> torch.Tensor:
    ignore = case.kwargs.get("ignore_index")
    if ignore is None:
        return target
    return torch.where(torch.rand(target.shape, generator=make) < 0.2, ignore, target)


def track(metric: Metric) -> TrackedMetric:
    """Declare a metric as a rank does: class, plain attributes and what each state is."""
    plain = (bool, int, float, str, type(None))
    cls = f"{type(metric).__module__}.{type(metric).__qualname__}"
    return TrackedMetric(
        path="metric",
        cls=cls,
        base=cls,
        params={
            name: value
            for name, value in vars(metric).items()
            if not name.startswith("_") and type(value) in plain
        }
        | {name: buffer.tolist() for name, buffer in metric.named_buffers()},
        states=tuple(_spec(metric, name) for name in metric._defaults),
    )


def _spec(metric: Metric, name: str) -> StateSpec:
    reduction: Any = metric._reductions[name]
    word: Any = "none" if reduction is None else _REDUCTIONS.get(reduction.__name__, "custom")
    is_list = isinstance(metric._defaults[name], list)
    value = getattr(metric, name)
    dtype = "" if is_list else str(value.dtype).removeprefix("torch.")
    return StateSpec(name=name, reduction=word, is_list=is_list, dtype=dtype)


def arrays(metric: Metric) -> list[Any]:
    """Return the states as they travel: arrays, and the sizes of lists."""
    return [_travelled(getattr(metric, name)) for name in metric._defaults]


def _travelled(state: Any) -> Any:
    if isinstance(state, list):
        return ListSize(len(state), sum(part.nbytes for part in state))
    state = state.detach()
    return (state.float() if state.dtype == torch.bfloat16 else state).numpy().copy()


def compute(metric: Metric, *, sync: bool) -> np.ndarray:
    """Return what `compute()` gives, flat, with or without torchmetrics' own synchronisation.

    It is asked of a copy, since before 1.4 `compute()` could write into the states.
    """
    asked = copy.deepcopy(metric)
    asked._computed = None
    asked._to_sync = sync
    try:
        value = asked.compute()
    except ValueError as error:
        if "two samples" not in str(error):
            raise
        return np.array([np.nan])
    if isinstance(value, tuple):
        return truth_curves.best_points(*value).reshape(-1)
    return np.asarray(value.detach().double().numpy()).reshape(-1)


def own(evaluation: Evaluation) -> np.ndarray:
    """Return the own scores of N states in the order that `compute()` gives them, (N, ...).

    A curve is no score; where its F1 is best stands for it.
    """
    scores = [score for score in evaluation.scores if score.own] or _best(evaluation)
    assert scores, evaluation.reason
    if not scores[0].own:
        return np.concatenate([_wide(score) for score in scores], axis=1)
    values = np.stack([_wide(score) for score in scores], axis=-1)
    return values.reshape(len(values), -1)


def _best(evaluation: Evaluation) -> list[Score]:
    are_labelled = any(score.labels is not None for score in evaluation.scores)
    return [
        score
        for name in truth_curves.BEST
        for score in evaluation.scores
        if score.name == name and (score.labels is not None) == are_labelled
    ]


def _wide(score: Score) -> np.ndarray:
    return score.values if score.values.ndim == 2 else score.values[:, np.newaxis]


def agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Equal to 1e-6, not-a-number included."""
    return ours.shape == theirs.shape and np.allclose(
        ours, theirs, rtol=1e-6, atol=1e-6, equal_nan=True
    )
