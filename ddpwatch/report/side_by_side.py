"""How does a comparison read on a terminal? What differs stands out by its sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddpwatch.numbers import ABSENT, EQUAL, plain_number, signed
from ddpwatch.report.compared import (
    Comparison,
    FindingPair,
    LoggedPair,
    MetricPair,
    PassEntry,
    PassPair,
    SideEntry,
    Values,
)
from ddpwatch.report.comparison import difference
from ddpwatch.report.document import Number
from ddpwatch.text import pad, shorten, visible

NAME = 26
CELL = 8
_COLUMNS = (("GLOBAL", "global_"), ("mean", "mean_of_ranks"), ("logged", "logged"))


def to_text(comparison: Comparison) -> str:
    """Return the comparison, stage by stage; label rows only where they differ."""
    lines = [_side("A", comparison.a), _side("B", comparison.b), *_pace(comparison)]
    for pair in comparison.passes:
        lines += ["", *_stage(pair, comparison)]
    lines += ["", *_findings(comparison)]
    return "\n".join(line.rstrip() for line in lines)


def _side(letter: str, side: SideEntry) -> str:
    ranks = "1 rank" if side.world_size == 1 else f"{side.world_size} ranks"
    return f"{letter}  {visible(side.name, 40)}  run {visible(side.id, 40)}  {ranks}"


def _pace(comparison: Comparison) -> Iterator[str]:
    a, b = comparison.a, comparison.b
    yield ""
    yield _line("", ["A", "B", "B-A"])
    yield _line("ranks", [str(a.world_size), str(b.world_size), _whole(a, b)])
    for name, one, other in (
        ("training steps per second", a.steps_per_second, b.steps_per_second),
        ("seconds per epoch", a.seconds_per_epoch, b.seconds_per_epoch),
    ):
        yield _line(name, [plain_number(one), plain_number(other), _apart(difference(one, other))])


def _whole(a: SideEntry, b: SideEntry) -> str:
    return f"{b.world_size - a.world_size:+d}" if a.world_size != b.world_size else "0"


def _stage(pair: PassPair, comparison: Comparison) -> Iterator[str]:
    loader = f" · dataloader {pair.dataloader}" if pair.dataloader else ""
    yield f"{pair.stage}{loader} · A {_pass(pair.a)} · B {_pass(pair.b)}"
    place = (pair.stage, pair.dataloader)
    metrics = [m for m in comparison.metrics if (m.stage, m.dataloader) == place]
    logged = [m for m in comparison.logged if (m.stage, m.dataloader) == place]
    shown = [metric for metric in metrics if metric.label is None or _differs(metric)]
    if shown:
        yield _line("", [cell for name, _ in _COLUMNS for cell in (name, "", "")])
        yield _line("", ["A", "B", "B-A"] * len(_COLUMNS))
        yield from map(_metric, shown)
    if len(shown) < len(metrics):
        yield f"    {len(metrics) - len(shown)} rows of classes and labels do not differ"
    if logged:
        yield _line("logged", ["A", "B", "B-A"]) + "  how"
        yield from map(_logged, logged)


def _pass(entry: PassEntry | None) -> str:
    if entry is None:
        return "has none"
    at = "" if entry.final else f" (not finished, at step {entry.step})"
    return f"epoch {entry.epoch}, pass {entry.pass_}{at}"


def _differs(metric: MetricPair) -> bool:
    """Whether any value that both sides have does, by more than rounding."""
    if metric.a is None or metric.b is None:
        return False
    pairs = ((getattr(metric.a, each), getattr(metric.b, each)) for _, each in _COLUMNS)
    return any(_unlike(one, other) for one, other in pairs)


def _unlike(one: Number, other: Number) -> bool:
    apart = difference(one, other)
    return one != other if not isinstance(apart, float | int) else abs(apart) >= EQUAL


def _metric(metric: MetricPair) -> str:
    title = metric.name if metric.own else f"{metric.name} {metric.score}"
    name = f"{visible(title)} {visible(metric.average)}"
    if metric.label is not None:
        name = f"    {visible(metric.label)} · {visible(title)}"
    cells = []
    for _, field in _COLUMNS:
        one, other = _field(metric.a, field), _field(metric.b, field)
        cells += [_cell(one), _cell(other), _apart(difference(one, other))]
    return _line(name, cells) + _only(metric.a, metric.b)


def _logged(pair: LoggedPair) -> str:
    one = pair.a.value if pair.a else None
    other = pair.b.value if pair.b else None
    how = dict.fromkeys(each.reduction for each in (pair.a, pair.b) if each)
    cells = [_cell(one), _cell(other), _apart(pair.difference)]
    return f"{_line(visible(pair.key), cells)}  {' → '.join(how)}{_only(pair.a, pair.b)}"


def _only(a: object, b: object) -> str:
    return "  only A" if b is None else "  only B" if a is None else ""


def _findings(comparison: Comparison) -> Iterator[str]:
    found = comparison.findings
    for title, pairs in (
        ("findings only in A", found.only_a),
        ("findings only in B", found.only_b),
        ("findings in both", found.both),
    ):
        yield f"{title}: {len(pairs) or 'none'}"
        yield from map(_finding, pairs)


def _finding(pair: FindingPair) -> str:
    severities = " → ".join(dict.fromkeys(each for each in (pair.a, pair.b) if each))
    about = " ".join(part for part in (pair.stage or "", pair.key) if part)
    return f"    {severities} {visible(pair.code)} {visible(pair.title)}  {visible(about)}"


def _field(values: Values | None, field: str) -> Number:
    return getattr(values, field) if values is not None else None


def _cell(value: Number) -> str:
    return plain_number(float(value) if isinstance(value, str) else value, CELL - 1)


def _apart(value: Number) -> str:
    return ABSENT if not isinstance(value, float | int) else signed(value, CELL - 1).strip()


def _line(name: str, cells: Sequence[str]) -> str:
    return pad(shorten(name, NAME), NAME) + "".join(pad(cell, CELL, "right") for cell in cells)
