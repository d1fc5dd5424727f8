"""How does a report read on a terminal? The last pass of each stage, in full."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence

from ddpwatch.numbers import plain_number, signed
from ddpwatch.report.document import (
    EpochEntry,
    FindingEntry,
    LoggedEntry,
    MetricEntry,
    Number,
    Report,
    RunEntry,
)
from ddpwatch.report.last import last_of_each
from ddpwatch.text import pad, shorten, truncate, visible

CELL = 8
NAME = 26
MOST_LABELS = 30
"""Rows of one metric's classes beyond which only their number is given."""


def to_text(report: Report, width: int | None = None) -> str:
    """Return the report in lines of at most `width` cells (the terminal's, if None)."""
    width = width or shutil.get_terminal_size((100, 24)).columns
    lines = [_head(report.run)]
    for epoch in last_of_each(report.epochs):
        lines += ["", *_table(epoch, report.run.world_size, width), *_logged(epoch, width)]
    if not report.epochs:
        lines += ["", "no pass of any stage has come"]
    for finding in report.findings:
        lines += ["", *_finding(finding)]
    return "\n".join(line.rstrip() for line in lines)


def _head(run: RunEntry) -> str:
    ranks = "1 rank" if run.world_size == 1 else f"{run.world_size} ranks"
    states = {rank.status for rank in run.ranks}
    odd = [f"rank {rank.rank} {rank.status}" for rank in run.ranks if rank.status != "ended"]
    state = "ended" if states == {"ended"} else ", ".join(odd)
    return f"{visible(run.name, 40)}  run {visible(run.id, 40)}  {ranks}  {state}"


def _finding(finding: FindingEntry) -> list[str]:
    """Not cut to the width: a terminal wraps it, and a fix is there to be copied."""
    first = f"{finding.severity} {finding.code} {visible(finding.message)}"
    return [first, *(f"    {visible(line)}" for line in finding.fix.splitlines())]


def _table(epoch: EpochEntry, world_size: int, width: int) -> list[str]:
    fits = NAME + (world_size + 3) * (CELL + 1) <= width
    at = "" if epoch.final else f" · not finished, at step {epoch.step}"
    loader = f" · dataloader {epoch.dataloader}" if epoch.dataloader else ""
    title = f"{epoch.stage} · epoch {epoch.epoch}{loader}{at}"
    ranks = [f"rank {r}" for r in range(world_size)] if fits else ["worst", "best"]
    lines = [title, _line("", [*ranks, "mean", "GLOBAL", "gap"])]
    headed = {(metric.name, metric.score) for metric in epoch.metrics if metric.label is None}
    for metric in _shown(epoch.metrics):
        if (metric.name, metric.score) not in headed:
            headed.add((metric.name, metric.score))
            lines.append(shorten(visible(_title(metric)), NAME))
        lines.append(_row(metric, fits=fits))
        if metric.reason:
            lines.append(f"    {visible(metric.reason, width - 4)}")
    if epoch.metrics:
        lines.append(_samples(epoch.metrics[0], fits=fits))
    return lines


def _logged(epoch: EpochEntry, width: int) -> list[str]:
    """What rank 0 ended the epoch with under each key, beside the true value."""
    keys = [key for key in epoch.logged if key.on_epoch and not key.key.endswith("_step")]
    if not keys:
        return []
    head = _line("logged", ["rank 0", "GLOBAL", "gap"]) + "  how"
    return [head, *(truncate(_logged_key(key), width) for key in keys)]


def _logged_key(key: LoggedEntry) -> str:
    ended = key.ranks[0] if key.ranks else None
    cells = [_cell(ended), _cell(key.global_), _gap(ended, key.global_)]
    return f"{_line(visible(key.key), cells)}  {key.reduction}"


def _shown(metrics: Sequence[MetricEntry]) -> Iterable[MetricEntry]:
    counts: dict[tuple[str, str], int] = {}
    for metric in metrics:
        counts[metric.name, metric.score] = counts.get((metric.name, metric.score), 0) + 1
    for metric in metrics:
        if metric.label is None or counts[metric.name, metric.score] <= MOST_LABELS:
            yield metric


def _row(metric: MetricEntry, *, fits: bool) -> str:
    if metric.label is not None:
        name = f"    {visible(metric.label)}"
    else:
        name = f"{visible(_title(metric))} {visible(metric.average)}"
    cells = metric.ranks if fits else _extremes(metric.ranks)
    gap = _gap(metric.mean_of_ranks, metric.global_)
    values = [_cell(v) for v in (*cells, metric.mean_of_ranks, metric.global_)]
    return _line(name, [*values, gap])


def _title(metric: MetricEntry) -> str:
    return metric.name if metric.own else f"{metric.name} {metric.score}"


def _samples(metric: MetricEntry, *, fits: bool) -> str:
    known = [n for n in metric.samples if n is not None]
    extremes = [min(known, default=None), max(known, default=None)]
    cells = metric.samples if fits else extremes
    total = str(sum(known)) if len(known) == len(metric.samples) else "–"
    return _line("samples", [*("–" if n is None else str(n) for n in cells), "", total, ""])


def _extremes(values: Sequence[Number]) -> list[Number]:
    numbers = [v for v in values if isinstance(v, float | int)]
    return [min(numbers, default=None), max(numbers, default=None)]


def _gap(mean: Number, global_: Number) -> str:
    if isinstance(mean, str) or isinstance(global_, str) or mean is None or global_ is None:
        return "–"
    return signed(mean - global_, CELL - 1).strip()


def _cell(value: Number) -> str:
    return plain_number(float(value) if isinstance(value, str) else value, CELL)


def _line(name: str, cells: Sequence[str]) -> str:
    shown = shorten(name, NAME)
    return pad(shown, NAME) + "".join(pad(cell, CELL + 1, "right") for cell in cells)
