"""Which logged keys are scores that must not be averaged?

The mean of a loss over batches is the loss. The mean of F1 over batches is not F1: it is a ratio of
sums. Accuracy over samples (micro) is a plain mean again; over classes (macro) it is not.
"""

from __future__ import annotations

import re

from ddpwatch.board.snapshot import LoggedRow, Row
from ddpwatch.findings.evidence import PassEvidence
from ddpwatch.findings.sameness import differs

RATIOS = frozenset(
    (
        *("f1", "fbeta", "precision", "recall", "specificity", "npv", "jaccard"),
        *("matthews_corrcoef", "cohen_kappa", "auroc", "average_precision"),
        *("best_f1", "best_precision", "best_recall"),
        *("r2", "explained_variance", "pearson", "concordance", "csi", "rse", "wmape"),
    )
)
AVERAGED_ACCURACY = frozenset({"macro"})
_WORDS = frozenset(
    ("f1", "f1score", "fbeta", "precision", "recall", "auroc", "rocauc", "specificity", "mcc")
)
_SPLIT = re.compile("[^a-z0-9]+")


def score_of(row: LoggedRow, taken: PassEvidence) -> str:
    """The name of the non-additive score that a key reports, or "" where it is none.

    A tracked metric decides. Without one, the key's own name has to say it (`val_f1`), and it has
    to be no name of a cut-off (`recall@10` is a plain mean over queries).
    """
    if row.metric is not None:
        return _measured_score(row.metric.score, taken.measured(row))
    return "" if row.source.startswith("metric ") else named_score(row.id.name)


def named_score(name: str) -> str:
    """The ratio score that a name speaks of, or "".

    >>> named_score("val/f1_macro"), named_score("recall@10"), named_score("val_loss")
    ('f1', '', '')
    """
    if "@" in name or "_at_" in name:
        return ""
    return next((word for word in _SPLIT.split(name.lower()) if word in _WORDS), "")


def is_off(row: LoggedRow) -> bool:
    """Whether what rank 0 ended with is known not to be the global value."""
    value = ended_with(row)
    return row.global_ is not None and value is not None and differs(value, row.global_)


def ended_with(row: LoggedRow) -> float | None:
    """What rank 0's Lightning ended with, else the first rank's that has ended."""
    ended = row.ended.nonzero()[0]
    return float(row.ranks[ended[0]]) if len(ended) else None


def _measured_score(score: str, measured: Row | None) -> str:
    if score in RATIOS:
        return score
    if score == "accuracy" and measured is not None and measured.average in AVERAGED_ACCURACY:
        return score
    return ""
