"""What do a metric's states say? The frozen result that the board, the screens and reports read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Score:
    """One quantity of one metric, for N states at once.

    `values` has shape (N,) where `labels` is None (an averaged or scalar value), else (N, L) with
    one column per class, label or cell, named by `labels` (empty names mean "use the index").
    `own` is true for the quantity that the metric's class itself computes. `average` is the word
    of torchmetrics (`macro`, `micro`, `weighted`, `none`) or empty where averaging has no meaning.
    """

    name: str
    average: str
    own: bool
    values: FloatArray
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that N states of one metric say.

    `samples` is how many samples (elements, for multidimensional targets) each state has counted,
    shape (N,), or None where the states cannot tell. `reason` says in a few words why `scores` is
    empty or incomplete, for the screen; empty when nothing is missing.
    """

    scores: tuple[Score, ...] = ()
    samples: NDArray[np.int64] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RankEvaluation:
    """One metric on the ranks that took part, and over all of them.

    `local` has one entry per rank, `global_` exactly one, from the reduced states.
    """

    local: Evaluation
    global_: Evaluation
