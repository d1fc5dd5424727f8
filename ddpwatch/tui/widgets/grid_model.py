"""Which lines does the table of metrics have, in which order, and what is each one called?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from ddpwatch.board.snapshot import Row, Table
from ddpwatch.text import visible

Kind: TypeAlias = Literal["score", "classes", "label", "samples"]

AGGREGATES = frozenset({"mean", "sum", "min", "max"})
"""Scores whose name says nothing without that of the metric."""


class ScoreKey(NamedTuple):
    """One score of one metric, with all its labels."""

    metric: str
    score: str


class LineKey(NamedTuple):
    """What makes a line the same line in the next snapshot."""

    kind: Kind
    metric: str = ""
    score: str = ""
    label: int = -1

    @property
    def scored(self) -> ScoreKey:
        """The score that the line belongs to."""
        return ScoreKey(self.metric, self.score)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table, its texts safe to draw.

    `title` names the line where it stands alone. `opens` are the scores it opens or closes.
    """

    key: LineKey
    name: str
    average: str = ""
    title: str = ""
    row: Row | None = None
    opens: tuple[ScoreKey, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class _Block:
    """One score: its averaged row, if there is one, and a row for each label."""

    key: ScoreKey
    averaged: Row | None
    labels: tuple[Row, ...]

    @property
    def any_row(self) -> Row:
        return self.averaged if self.averaged is not None else self.labels[0]


def build_lines(
    table: Table, opened: frozenset[ScoreKey] = frozenset(), needle: str = ""
) -> tuple[Line, ...]:
    """Return the lines of a table: scores, their labels where opened, and the samples last.

    Metrics of one collection with the same labels share one line that opens all of them. `needle`
    keeps what matches every one of its words.
    """
    blocks = list(_blocks(table.rows))
    names = _names([block.any_row for block in blocks])
    lines: list[Line] = []
    for _, group in groupby(blocks, key=_kinship):
        lines += _group_lines(list(group), names, opened, needle.casefold().split())
    if (table.samples >= 0).any():
        lines.append(Line(LineKey("samples"), "samples"))
    return tuple(lines)


def find(lines: Sequence[Line], key: LineKey | None) -> int | None:
    """The place of a line, or None where it is gone."""
    return next((place for place, line in enumerate(lines) if line.key == key), None)


def toggled(opened: frozenset[ScoreKey], line: Line) -> frozenset[ScoreKey]:
    """What is open after the line was asked to open or close its labels."""
    return opened - set(line.opens) if line.is_open else opened | set(line.opens)


def class_word(rows: Sequence[Row]) -> str:
    """Count the labels in words: `10 classes`, `5 labels`, `9 cells`."""
    first = rows[0]
    word = "label" if first.cls.startswith("Multilabel") else "class"
    if first.key.score.startswith("confusion"):
        word = "cell"
    plural = "es" if word == "class" else "s"
    return f"1 {word}" if len(rows) == 1 else f"{len(rows)} {word}{plural}"


def _blocks(rows: Iterable[Row]) -> Iterator[_Block]:
    for key, same in groupby(rows, key=lambda row: ScoreKey(row.key.metric, row.key.score)):
        found = list(same)
        averaged = next((row for row in found if row.label is None), None)
        yield _Block(key, averaged, tuple(row for row in found if row.label is not None))


def _kinship(block: _Block) -> tuple[str, tuple[str | None, ...]]:
    """Equal for neighbours that may share one line for their classes."""
    labels = tuple(row.label for row in block.labels)
    return block.key.metric.rpartition(".")[0] if labels else "", labels


def _group_lines(
    group: list[_Block],
    names: dict[ScoreKey, tuple[str, str]],
    opened: frozenset[ScoreKey],
    words: list[str],
) -> Iterator[Line]:
    kept = [block for block in group if _matches(block, words)]
    for block in kept:
        if block.averaged is not None:
            yield _score_line(block, names, opened)
            yield from _label_lines(block, names[block.key][0], opened, words)
    with_labels = [block for block in kept if block.labels]
    if with_labels:
        yield _classes_line(with_labels, names, opened)
    for block in kept:
        if block.averaged is None:
            lines = _label_lines(block, names[block.key][0], opened, words)
            yield from lines if len(kept) == 1 else map(_in_full, lines)


def _score_line(
    block: _Block, names: dict[ScoreKey, tuple[str, str]], opened: frozenset[ScoreKey]
) -> Line:
    name, average = names[block.key]
    return Line(
        LineKey("score", *block.key),
        name,
        average,
        f"{name} {average}".strip(),
        block.averaged,
        opens=(block.key,) if block.labels else (),
        is_open=block.key in opened,
    )


def _classes_line(
    blocks: list[_Block], names: dict[ScoreKey, tuple[str, str]], opened: frozenset[ScoreKey]
) -> Line:
    keys = tuple(block.key for block in blocks)
    word = class_word(blocks[0].labels)
    if blocks[0].averaged is None:
        word = f"{names[blocks[0].key][0]} · {word}"
    return Line(
        LineKey("classes", *keys[0]), word, opens=keys, is_open=all(key in opened for key in keys)
    )


def _label_lines(
    block: _Block, score: str, opened: frozenset[ScoreKey], words: list[str]
) -> Iterator[Line]:
    whole = _contains(_hay(block.any_row, label=False), words)
    for row in block.labels:
        if (block.key in opened and whole) or (not whole and _contains(_hay(row), words)):
            key = LineKey("label", *block.key, row.key.label)
            name = visible(row.label or "")
            yield Line(key, name, title=f"{score} · {name}", row=row)


def _in_full(line: Line) -> Line:
    """Say the score too, which no line above it does."""
    return replace(line, name=line.title)


def _matches(block: _Block, words: list[str]) -> bool:
    rows = (block.any_row, *block.labels)
    return not words or any(_contains(_hay(row), words) for row in rows)


def _contains(hay: str, words: list[str]) -> bool:
    return all(word in hay for word in words)


def _hay(row: Row, *, label: bool = True) -> str:
    parts = [row.key.metric, row.key.score, row.average, row.cls]
    return " ".join((*parts, row.label or "") if label else parts).casefold()


def _names(rows: Sequence[Row]) -> dict[ScoreKey, tuple[str, str]]:
    """Name and average of every score: short, unless two metrics would then be called the same."""
    users: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        users[row.key.score, row.average].add(row.key.metric)
    clash = any(len(metrics) > 1 for metrics in users.values())
    return {ScoreKey(row.key.metric, row.key.score): _name(row, by_path=clash) for row in rows}


def _name(row: Row, *, by_path: bool) -> tuple[str, str]:
    path, score, average = visible(row.key.metric), visible(row.key.score), visible(row.average)
    if score in AGGREGATES or row.key.score == row.cls:
        return path, average or score
    if not by_path:
        return score, average
    said = row.key.metric.rpartition(".")[2].casefold()
    return (path if row.own and row.key.score in said else f"{path} {score}"), average
