"""How does a report read in a pull request? As text.py has it, in GitHub's Markdown."""

from __future__ import annotations

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
from ddpwatch.report.markup import block, code, prose, table

MOST_RANKS = 8
"""Ranks that have a column each; of more, the lowest and the highest value are shown."""

MOST_LABELS = 100
"""Rows of labels of one pass, beyond which only their number is given."""


def to_markdown(report: Report) -> str:
    """Return the report, to be pasted into a comment; nothing in it is obeyed as markup."""
    lines = [*_head(report.run), *_findings(report.findings)]
    for epoch in last_of_each(report.epochs):
        lines += ["", *_pass(epoch, report.run.world_size)]
    if not report.epochs:
        lines += ["", "No pass of any stage has come."]
    return "\n".join(lines)


def _head(run: RunEntry) -> list[str]:
    ranks = "1 rank" if run.world_size == 1 else f"{run.world_size} ranks"
    odd = [f"rank {rank.rank} {rank.status}" for rank in run.ranks if rank.status != "ended"]
    more = f" and {len(odd) - MOST_RANKS} more" if len(odd) > MOST_RANKS else ""
    state = ", ".join(odd[:MOST_RANKS]) + more if odd else "ended"
    return [f"## {code(run.name)}", "", f"run {code(run.id)} · {ranks} · {state}"]


def _findings(findings: Sequence[FindingEntry]) -> list[str]:
    if not findings:
        return ["", "No findings."]
    lines = ["", "### Findings"]
    for finding in findings:
        name = f"**{prose(finding.severity)} {prose(finding.code)}**"
        lines += ["", f"{name} {prose(finding.message)}"]
        if finding.fix.strip():
            lines += ["", *block(finding.fix.splitlines(), "python")]
    return lines


def _pass(epoch: EpochEntry, world_size: int) -> list[str]:
    at = "" if epoch.final else f" · not finished, at step {epoch.step}"
    loader = f" · dataloader {epoch.dataloader}" if epoch.dataloader else ""
    lines = [f"### {prose(epoch.stage)} · epoch {epoch.epoch}{loader}{at}"]
    whole = [metric for metric in epoch.metrics if metric.label is None]
    labels = [metric for metric in epoch.metrics if metric.label is not None]
    if whole:
        rows = [_row(metric, world_size, metric.average) for metric in whole]
        rows.append(_samples(epoch.metrics[0], world_size))
        lines += ["", *table(_columns("average", world_size), rows, words=2)]
    reasons = {metric.name: metric.reason for metric in epoch.metrics if metric.reason}
    for name, reason in reasons.items():
        lines += ["", f"{code(name)}: {prose(reason)}"]
    if labels:
        lines += ["", *_labels(labels, world_size)]
    return [*lines, *_logged(epoch.logged)]


def _labels(metrics: Sequence[MetricEntry], world_size: int) -> list[str]:
    """Folded up: ten classes of three metrics are thirty rows."""
    if len(metrics) > MOST_LABELS:
        return [f"{len(metrics)} rows of classes and labels are not shown."]
    rows = [_row(metric, world_size, code(metric.label or "")) for metric in metrics]
    # Markdown within HTML needs the empty lines.
    return [
        f"<details><summary>{len(metrics)} rows of classes and labels</summary>",
        "",
        *table(_columns("label", world_size), rows, words=2),
        "",
        "</details>",
    ]


def _logged(entries: Iterable[LoggedEntry]) -> list[str]:
    """What rank 0 ended the epoch with under each key, beside the true value."""
    rows = [
        [
            code(entry.key),
            entry.reduction,
            _number(entry.ranks[0] if entry.ranks else None),
            _number(entry.global_),
            _difference(entry.ranks[0] if entry.ranks else None, entry.global_),
        ]
        for entry in entries
        if entry.on_epoch and not entry.key.endswith("_step")
    ]
    if not rows:
        return []
    return ["", *table(["logged", "how", "rank 0", "**GLOBAL**", "gap"], rows, words=2)]


def _columns(second: str, world_size: int) -> list[str]:
    ranks = [f"rank {rank}" for rank in range(world_size)]
    shown = ranks if world_size <= MOST_RANKS else ["lowest", "highest"]
    return ["metric", second, *shown, "mean", "**GLOBAL**", "gap"]


def _row(metric: MetricEntry, world_size: int, second: str) -> list[str]:
    name = code(metric.name) if metric.own else f"{code(metric.name)} {prose(metric.score)}"
    values = metric.ranks if world_size <= MOST_RANKS else _extremes(metric.ranks)
    gap = _difference(metric.mean_of_ranks, metric.global_)
    shown = [_number(value) for value in (*values, metric.mean_of_ranks)]
    return [name, second, *shown, f"**{_number(metric.global_)}**", gap]


def _samples(metric: MetricEntry, world_size: int) -> list[str]:
    known = [count for count in metric.samples if count is not None]
    extremes = [min(known, default=None), max(known, default=None)]
    shown = metric.samples if world_size <= MOST_RANKS else extremes
    total = str(sum(known)) if len(known) == len(metric.samples) else "–"
    return ["samples", "", *("–" if n is None else str(n) for n in shown), "", total, ""]


def _extremes(values: Iterable[Number]) -> list[Number]:
    numbers = [value for value in values if isinstance(value, float | int)]
    return [min(numbers, default=None), max(numbers, default=None)]


def _number(value: Number) -> str:
    return plain_number(float(value) if isinstance(value, str) else value, 8)


def _difference(one: Number, other: Number) -> str:
    if isinstance(one, str) or isinstance(other, str) or one is None or other is None:
        return "–"
    return signed(one - other).strip()
