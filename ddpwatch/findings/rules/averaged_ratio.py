"""DW102: does `sync_dist=True` average a score that is no average?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding, LoggedRow, Reduction
from ddpwatch.findings.evidence import Evidence, PassEvidence
from ddpwatch.findings.flooring import flooring_of
from ddpwatch.findings.logged_rows import ended_rows, ended_values, held_values, was_global
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.sameness import differs, disagree
from ddpwatch.findings.scores import score_of
from ddpwatch.findings.wording import called_name, each_rank, log_object, number, place

FAULT = Fault(
    code="DW102",
    severity="warning",
    title="logged value averages a ratio metric (`sync_dist=True`) and is not the global value",
    why=(
        "F1, precision, recall and their like are ratios of sums. Averaging the ratios of batches "
        "or ranks is not the ratio of the summed counts, and changes with the batch size and the "
        "number of GPUs. That all ranks agree on the average does not make it right."
    ),
)
AVERAGES: tuple[Reduction, ...] = (
    "mean-of-batches", "mean-of-batches-floored", "mean-of-ranks", "sum-of-ranks", "max-of-ranks",
    "min-of-ranks",
)  # fmt: skip


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield synced epoch values of ratio metrics that are not the value over all ranks."""
    if evidence.world_size < 2:
        return
    for taken in evidence.passes:
        for row in ended_rows(taken):
            if row.sync_dist and row.reduction in AVERAGES and not was_global(row):
                score = score_of(row, taken)
                value = _average(row, taken) if score else None
                if value is not None and _is_wrong(row, value):
                    yield _finding(row, taken, value, score)


def _average(row: LoggedRow, taken: PassEvidence) -> float | None:
    """What the ranks ended with, before any inflation by a floored sample count (DW108)."""
    ended = ended_values(row)
    if not ended:
        return None
    value = next(iter(ended.values()))
    floored = flooring_of(row, taken)
    return value / floored.factor if floored is not None else value


def _is_wrong(row: LoggedRow, value: float) -> bool:
    if row.global_ is not None:
        return differs(value, row.global_)
    # Nothing to compare with: ratios that differ between ranks have a mean that is no ratio.
    values = held_values(row)
    return len(values) > 1 and disagree(values.values())


def _finding(row: LoggedRow, taken: PassEvidence, value: float, score: str) -> Finding:
    how = row.reduction.removesuffix("-floored").replace("-", " ")
    truth = (
        f"over all ranks it is {number(row.global_)}"
        if row.global_ is not None
        else "what it is over all ranks cannot be told from averages"
    )
    name = called_name(row)
    fix = (
        log_object(row, row.metric.metric)
        if row.metric is not None
        else f"# keep a torchmetrics object for {score} in __init__, update it in every step\n"
        f"self.log({name!r}, self.{score}, on_step=False, on_epoch=True)"
    )
    return FAULT.finding(
        f"{row.id.name} in {place(taken.key)} is logged as the {how}, {number(value)}; {truth} "
        f"({each_rank(held_values(row))})",
        fix,
        key=row.id.name,
        ranks=held_values(row),
        pass_key=taken.key._replace(dataloader=max(row.id.dataloader, 0)),
    )


RULE = Rule(FAULT, find)
