"""Which binned curves does torchmetrics have to agree with us about, and what is their best F1?"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch

CURVES = ("PrecisionRecallCurve", "AUROC", "AveragePrecision")
BEST = ("best_f1", "best_precision", "best_recall", "best_threshold")


def kwargs(choose: random.Random, task: str, kind: str) -> dict[str, Any]:
    """Choose the arguments of a curve of this task, but for its width."""
    levels = [0.1, 0.25, 0.25, 0.6, 0.9]
    chosen: dict[str, Any] = {
        "thresholds": choose.choice([2, 5, 11, 200, levels, torch.tensor([0.0, 0.3, 0.7])]),
        "ignore_index": choose.choice([None, None, -1]),
    }
    if kind != "PrecisionRecallCurve" and task != "Binary":
        words = ["macro", "weighted", "none", None]
        chosen["average"] = choose.choice([*words, *(["micro"] if task == "Multilabel" else [])])
    if task + kind == "BinaryAUROC":
        chosen["thresholds"] = choose.choice([5, 11, 200])
        chosen["max_fpr"] = choose.choice([None, 1.0, 0.1, 0.33, 0.9])
    return chosen


def best_points(precision: Any, recall: Any, thresholds: Any) -> np.ndarray:
    """Return F1, precision, recall and threshold where F1 is best, per curve: (4,) or (4, K)."""
    if precision.ndim == 1:
        return np.array(_best_point(precision, recall, thresholds))
    pairs = zip(precision, recall, strict=True)
    return np.array([_best_point(p, r, thresholds) for p, r in pairs]).T


def _best_point(precision: Any, recall: Any, thresholds: Any) -> list[float]:
    """Look at one point after the other, as someone would who has only the curve."""
    best, found = 0.0, [0.0, 0.0, 0.0, float("nan")]
    for p, r, threshold in zip(precision, recall, thresholds, strict=False):
        f1 = float(2 * p * r / (p + r))
        if f1 > best:
            best, found = f1, [f1, float(p), float(r), float(threshold)]
    return found
