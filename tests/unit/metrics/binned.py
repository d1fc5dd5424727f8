"""What does a binned curve hold that has seen some scores, without torch?"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.unit.metrics.declared import metric


def confmat(scores: Any, targets: Any, thresholds: Any) -> np.ndarray:
    """Return the counts [target, prediction] at each threshold, (T, 2, 2) or (T, L, 2, 2)."""
    said = np.asarray(scores)[np.newaxis] >= np.reshape(thresholds, (-1, *[1] * np.ndim(scores)))
    true = np.broadcast_to(np.asarray(targets, dtype=bool), said.shape)
    cells = [[(true == t) & (said == s) for s in (False, True)] for t in (False, True)]
    counted: np.ndarray = np.array([[cell.sum(axis=1) for cell in row] for row in cells])
    return np.moveaxis(counted, (0, 1), (-2, -1)).astype(np.int64)


def curve(base: str, thresholds: Any, labels: tuple[str, ...] = (), **params: Any) -> Any:
    """Declare a binned curve."""
    listed = None if thresholds is None else [float(t) for t in thresholds]
    return metric(base, ("confmat",), labels, thresholds=listed, **params)
