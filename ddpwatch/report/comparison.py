"""Where do two runs differ? Every difference is b - a."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from ddpwatch.board.snapshot import Finding, LoggedRow, Row
from ddpwatch.report.compared import (
    Comparison,
    FindingPair,
    Found,
    LoggedPair,
    LoggedValue,
    MetricPair,
    PassEntry,
    PassPair,
    SideEntry,
    Values,
)
from ddpwatch.report.document import Number, number
from ddpwatch.report.side import Ending, Side

K = TypeVar("K", bound=Hashable)


def compare(a: Side, b: Side) -> Comparison:
    """Hold the last pass of each stage and dataloader of `a` against that of `b`."""
    places = list({**a.endings, **b.endings})
    pairs = [(place, a.endings.get(place), b.endings.get(place)) for place in places]
    return Comparison(
        a=_entry(a),
        b=_entry(b),
        passes=[PassPair(*place, _pass(one), _pass(other)) for place, one, other in pairs],
        metrics=[pair for each in pairs for pair in _metrics(*each)],
        logged=[pair for each in pairs for pair in _logged(*each)],
        findings=_found(a.findings, b.findings),
    )


def difference(a: Number, b: Number) -> Number:
    """Return b - a where both are numbers that can be subtracted."""
    if not isinstance(a, float | int) or not isinstance(b, float | int):
        return None
    return b - a if math.isfinite(b - a) else None


def _entry(side: Side) -> SideEntry:
    pace = side.pace
    return SideEntry(
        side.run, side.name, side.world_size, pace.steps_per_second, pace.seconds_per_epoch
    )


def _pass(ending: Ending | None) -> PassEntry | None:
    if ending is None:
        return None
    table = ending.table
    key = table.key
    return PassEntry(key.pass_, key.epoch, table.global_step, table.step, table.final)


def _metrics(place: tuple[str, int], a: Ending | None, b: Ending | None) -> Iterable[MetricPair]:
    ours, theirs = _rows(a), _rows(b)
    for key in _united(ours, theirs):
        one, other = _values(ours.get(key)), _values(theirs.get(key))
        apart = None
        if one is not None and other is not None:
            apart = Values(
                difference(one.global_, other.global_),
                difference(one.mean_of_ranks, other.mean_of_ranks),
                difference(one.logged, other.logged),
            )
        row = ours.get(key) or theirs[key]
        name, score, average, label = key
        yield MetricPair(*place, name, score, row.own, average, label, one, other, apart)


def _rows(ending: Ending | None) -> dict[tuple[str, str, str, str | None], Row]:
    rows = ending.table.rows if ending is not None else ()
    return {(row.key.metric, row.key.score, row.average, row.label): row for row in rows}


def _values(row: Row | None) -> Values | None:
    if row is None:
        return None
    return Values(number(row.global_), number(row.mean), number(row.logged_value))


def _logged(place: tuple[str, int], a: Ending | None, b: Ending | None) -> Iterable[LoggedPair]:
    ours, theirs = _keys(a), _keys(b)
    for key in _united(ours, theirs):
        one, other = _value(ours.get(key)), _value(theirs.get(key))
        apart = difference(one.value if one else None, other.value if other else None)
        yield LoggedPair(*place, *key, one, other, apart)


def _keys(ending: Ending | None) -> dict[tuple[str, str], LoggedRow]:
    rows = ending.logged if ending is not None else ()
    return {(row.id.name, row.id.hook): row for row in rows}


def _value(row: LoggedRow | None) -> LoggedValue | None:
    if row is None:
        return None
    ended = len(row.ended) and row.ended[0]
    return LoggedValue(number(float(row.ranks[0])) if ended else None, row.reduction)


def _found(a: Iterable[Finding], b: Iterable[Finding]) -> Found:
    ours, theirs = _cases(a), _cases(b)
    pairs = []
    for key in _united(ours, theirs):
        one, other = ours.get(key), theirs.get(key)
        title = next((each.title for each in (one, other) if each is not None), "")
        severities = [None if each is None else each.severity for each in (one, other)]
        pairs.append(FindingPair(key[0], title, *key[1:], *severities))
    return Found(
        only_a=[pair for pair in pairs if pair.b is None],
        only_b=[pair for pair in pairs if pair.a is None],
        both=[pair for pair in pairs if pair.a is not None and pair.b is not None],
    )


def _cases(findings: Iterable[Finding]) -> dict[tuple[str, str, str | None], Finding]:
    """The gravest of each code, key and stage: findings come the gravest first."""
    found: dict[tuple[str, str, str | None], Finding] = {}
    for each in findings:
        stage = each.pass_key.stage if each.pass_key is not None else None
        found.setdefault((each.code, each.key, stage), each)
    return found


def _united(ours: Mapping[K, object], theirs: Mapping[K, object]) -> list[K]:
    """The keys of both in one order: what only the second has stands at the end."""
    return list({**ours, **theirs})
