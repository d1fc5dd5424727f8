"""Two metrics with the states of one rank, for a process that may not load torch."""

from __future__ import annotations

import numpy as np

from tests.unit.metrics.declared import DATA_A, metric

F1 = (metric("MulticlassF1Score", num_classes=3), DATA_A)
EER = (
    metric("BinaryEER", ("confmat",), thresholds=[0.0, 0.5, 1.0]),
    [[np.array([[[0, 2], [0, 2]], [[1, 1], [1, 1]], [[2, 0], [2, 0]]])]],
)
