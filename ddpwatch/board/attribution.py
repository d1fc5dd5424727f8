"""To which row of the metrics table does a logged key belong?

By the metric object that was logged, by the proven origin of the tensor, or by its name where that
names one row and leaves no word unexplained. A wrong answer would be worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ddpwatch.board.agreement import Agreement
from ddpwatch.board.snapshot import Row, Table
from ddpwatch.wire.messages import LoggedKey


class Belonging(NamedTuple):
    """The row, and whether that is `proven` or only its name says so."""

    row: Row
    proven: bool


_WORDS = re.compile(r"[^a-z0-9]+")
_EMPTY = frozenset(
    {"val", "valid", "validate", "validation", "train", "training", "test", "testing", "eval"}
    | {"sanity", "check", "epoch", "step", "avg", "average", "mean", "global", "total"}
    | {"metric", "metrics", "score", "scores"}
)
_SPELLINGS: dict[str, frozenset[str]] = {
    "f1": frozenset({"f1", "f1score", "fscore"}),
    "precision": frozenset({"precision", "prec"}),
    "recall": frozenset({"recall", "rec", "sensitivity", "tpr"}),
    "accuracy": frozenset({"accuracy", "acc"}),
    "specificity": frozenset({"specificity", "spec", "tnr"}),
    "jaccard": frozenset({"jaccard", "iou", "miou"}),
    "fbeta": frozenset({"fbeta"}),
    "npv": frozenset({"npv"}),
    "matthews_corrcoef": frozenset({"mcc", "matthews"}),
    "cohen_kappa": frozenset({"kappa"}),
    "exact_match": frozenset({"exactmatch", "exact"}),
    "hamming_distance": frozenset({"hamming"}),
}
_AVERAGES = frozenset({"macro", "micro", "weighted", "none"})


def origin_of(key: LoggedKey) -> tuple[str, str, int]:
    """Split an origin into `compute` or `forward`, the metric's path, and a label's index or -1."""
    how, _, rest = key.origin.partition(":")
    path, _, label = rest.rpartition(":")
    if path and label.isdecimal():
        return how, path, int(label)
    return how, rest, -1


def belonging(key: LoggedKey, tables: Mapping[int, Table]) -> Belonging | None:
    """Return the row that `key` reports, of the tables of its pass by dataloader."""
    rows = _rows_for(key, tables)
    if key.metric:
        row = _own_row(rows, key.metric, -1)
        return None if row is None else Belonging(row, proven=True)
    if key.origin:
        _, path, label = origin_of(key)
        row = _own_row(rows, path, label)
        return None if row is None else Belonging(row, proven=True)
    row = _named(_words(key.name), rows)
    return None if row is None else Belonging(row, proven=False)


def by_number(
    value: float, key: LoggedKey, tables: Mapping[int, Table], agreement: Agreement
) -> Row | None:
    """Return the only row whose value over all ranks is `value`, and no single rank's."""
    found = [
        row
        for row in _rows_for(key, tables)
        if row.global_ is not None
        and agreement.same(row.global_, value)
        and not any(agreement.same(own, value) for own in row.values[row.present].tolist())
    ]
    scores = {(row.key.metric, row.key.score) for row in found}
    return found[0] if len(scores) == 1 and len(found) == 1 else None


def _rows_for(key: LoggedKey, tables: Mapping[int, Table]) -> Sequence[Row]:
    """The rows of the key's dataloader; without one, each metric's of the last that updated it.

    States accumulate over dataloaders, so the last one's hold all that came before.
    """
    if key.dataloader in tables:
        return tables[key.dataloader].rows
    latest = {row.key: row for _, table in sorted(tables.items()) for row in table.rows}
    return tuple(latest.values())


def _own_row(rows: Sequence[Row], path: str, label: int) -> Row | None:
    """The quantity that the metric itself computes: averaged, or of one label."""
    mine = [row for row in rows if row.own and row.key.metric == path]
    exact = [row for row in mine if row.key.label == label]
    return exact[0] if exact else None


def _named(words: frozenset[str], rows: Sequence[Row]) -> Row | None:
    said = words - _EMPTY
    fits = [row for row in rows if _explains(said, row)]
    preferences: tuple[Callable[[Row], bool], ...] = (
        lambda row: row.average in said,
        lambda row: row.own,
        lambda row: bool(said & (_words(row.key.metric) - _SPELLINGS[row.key.score])),
        lambda row: bool(said & _words(row.key.metric)),
    )
    for preference in preferences:
        fits = [row for row in fits if preference(row)] or fits
    return fits[0] if len(fits) == 1 else None


def _explains(said: frozenset[str], row: Row) -> bool:
    """Whether the words name this row's score, its label if it has one, and nothing else."""
    spellings = _SPELLINGS.get(row.key.score)
    if spellings is None or not said & spellings:
        return False
    label = _words(row.label) if row.label is not None else frozenset()
    if row.label is not None and (not label - _EMPTY or not label <= said):
        return False
    return not said - spellings - label - _AVERAGES - _words(row.key.metric) - {row.average}


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORDS.split(text.lower()) if word)
