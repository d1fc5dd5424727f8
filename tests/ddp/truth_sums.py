"""Which metrics of a few sums does torchmetrics have to agree with us about, and on which data?"""

from __future__ import annotations

import inspect
import random
from typing import Any

import torch
import torchmetrics.classification as tmc
import torchmetrics.regression as tmr

_OUTPUTS = ("uniform_average", "raw_values", "variance_weighted")
_BY_CLASS: dict[str, dict[str, tuple[Any, ...]]] = {
    "MeanSquaredError": {"squared": (True, False), "num_outputs": (1, 3)},
    "MeanAbsoluteError": {"num_outputs": (1, 3)},
    "MeanAbsolutePercentageError": {},
    "SymmetricMeanAbsolutePercentageError": {},
    "WeightedMeanAbsolutePercentageError": {},
    "MeanSquaredLogError": {},
    "LogCoshError": {"num_outputs": (1, 3)},
    "R2Score": {"adjusted": (0, 0, 1, 3), "multioutput": _OUTPUTS},
    "ExplainedVariance": {"multioutput": _OUTPUTS},
    "RelativeSquaredError": {"squared": (True, False), "num_outputs": (1, 3)},
    "TweedieDevianceScore": {"power": (0.0, 1.0, 1.5, 2.0, 3.0)},
    "MinkowskiDistance": {"p": (1, 2, 3.5)},
    "KLDivergence": {"reduction": ("mean", "sum")},
    "JensenShannonDivergence": {"reduction": ("mean", "sum")},
    "CriticalSuccessIndex": {"threshold": (0.5, 0.9)},
    "ContinuousRankedProbabilityScore": {},
    "PearsonCorrCoef": {"num_outputs": (1, 3)},
    "ConcordanceCorrCoef": {"num_outputs": (1, 3)},
    "BinaryHingeLoss": {"squared": (True, False)},
    "MulticlassHingeLoss": {
        "num_classes": (4,),
        "squared": (True, False),
        "multiclass_mode": ("crammer-singer", "one-vs-all"),
    },
    "MultilabelCoverageError": {"num_labels": (4,)},
    "MultilabelRankingAveragePrecision": {"num_labels": (4,)},
    "MultilabelRankingLoss": {"num_labels": (4,)},
}
_MERGED = ("PearsonCorrCoef", "ConcordanceCorrCoef")
_SHAPED_BY_DATA = ("R2Score", "ExplainedVariance", "RelativeSquaredError")
"""A rank without samples has no states of the others' shape; torchmetrics fails there, too."""


def owner(cls: str) -> Any:
    """Return the module of torchmetrics that has the class, or None in versions without it."""
    return next((module for module in (tmr, tmc) if hasattr(module, cls)), None)


def classes() -> list[str]:
    """Return the classes that this torchmetrics has, and whose states are known here."""
    with_moments = "max_abs_dev_x" in tmr.PearsonCorrCoef()._defaults
    return [cls for cls in _BY_CLASS if owner(cls) and (with_moments or cls not in _MERGED)]


def draw(choose: random.Random) -> tuple[str, dict[str, Any]]:
    """Choose a class and those of its arguments that this torchmetrics has."""
    cls = choose.choice(classes())
    kwargs = {name: choose.choice(values) for name, values in _BY_CLASS[cls].items()}
    taken = inspect.signature(getattr(owner(cls), cls).__init__).parameters
    if cls == "R2Score" and "num_outputs" in taken:
        kwargs["num_outputs"] = choose.choice((1, 3))
    return cls, {name: value for name, value in kwargs.items() if name in taken}


def allows_empty(cls: str) -> bool:
    """Say whether a rank without samples can take part."""
    return cls not in _SHAPED_BY_DATA


def batch(cls: str, kwargs: dict[str, Any], seed: int, make: torch.Generator) -> tuple[Any, ...]:
    """Return predictions and targets; a case's seed decides how many outputs there are."""
    size = int(torch.randint(4, 16, (), generator=make))
    if cls.endswith("HingeLoss"):
        return _classes(cls, size, make)
    if cls.startswith("Multilabel"):
        return torch.rand(size, 4, generator=make), torch.randint(2, (size, 4), generator=make)
    if cls == "ContinuousRankedProbabilityScore":
        return torch.rand(size, 5, generator=make), torch.rand(size, generator=make)
    wide = kwargs.get("num_outputs", 3 if cls in _SHAPED_BY_DATA[:2] and seed % 2 else 1)
    shape = (size, 4) if cls.endswith("Divergence") else (size, wide) if wide > 1 else (size,)
    target = torch.rand(shape, generator=make) * 2 + 0.05
    return (target + 0.4 * torch.randn(shape, generator=make)).clamp(min=0.05), target


def _classes(cls: str, size: int, make: torch.Generator) -> tuple[Any, ...]:
    if cls == "BinaryHingeLoss":
        return torch.rand(size, generator=make), torch.randint(2, (size,), generator=make)
    return torch.rand(size, 4, generator=make), torch.randint(4, (size,), generator=make)
