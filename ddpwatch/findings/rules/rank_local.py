"""DW101: is the logged value one rank's own, while the ranks disagree?"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from ddpwatch.board.snapshot import Finding, LoggedRow
from ddpwatch.findings.evidence import Evidence, PassEvidence
from ddpwatch.findings.logged_rows import epoch_rows, held_values, is_comparable
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.sameness import disagree
from ddpwatch.findings.scores import score_of
from ddpwatch.findings.wording import called_name, each_rank, log_object, number, place

FAULT = Fault(
    code="DW101",
    severity="warning",
    title="logged value is one rank's own (`sync_dist=False`), and ranks disagree",
    why=(
        "Without `sync_dist` every rank keeps its own value, from its own share of the data. "
        "Loggers write on rank 0 only, so the curve shows what rank 0 saw."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield epoch values that no rank shares with the others."""
    for taken in evidence.passes:
        for row in epoch_rows(taken):
            if _is_local(row) and is_comparable(row, taken, evidence.world_size):
                values = held_values(row)
                if _finite_disagree(values) and not _is_told_as_monitor(row):
                    yield _finding(row, taken, values)


def _is_local(row: LoggedRow) -> bool:
    return row.reduction == "rank-local" and not row.rank_zero_only


def _finite_disagree(values: dict[int, float]) -> bool:
    """Whether ranks differ in more than one of them having no number, which is DW403."""
    finite = [value for value in values.values() if isfinite(value)]
    return len(finite) > 1 and disagree(finite)


def _is_told_as_monitor(row: LoggedRow) -> bool:
    """A monitored key without a known truth is DW105 alone: there is nothing to add to it."""
    return bool(row.monitored_by) and row.global_ is None


def _finding(row: LoggedRow, taken: PassEvidence, values: dict[int, float]) -> Finding:
    first = values.get(0, next(iter(values.values())))
    truth = f"; over all ranks it is {number(row.global_)}" if row.global_ is not None else ""
    return FAULT.finding(
        f"{row.id.name} in {place(taken.key)} is rank 0's own value, {number(first)}: "
        f"{each_rank(values)}{truth}",
        _fix(row, taken),
        key=row.id.name,
        ranks=values,
        pass_key=taken.key._replace(dataloader=max(row.id.dataloader, 0)),
    )


def _fix(row: LoggedRow, taken: PassEvidence) -> str:
    if row.source.startswith("metric "):
        return f"# without sync_on_compute=False\n{log_object(row, row.source[7:])}"
    if row.metric is not None:
        return log_object(row, row.metric.metric)
    name = called_name(row)
    if score := score_of(row, taken):
        return (
            f"# keep a torchmetrics object of the class for {score} in __init__, update it in "
            f"every step,\n# and log the object: it reduces its counts over all ranks\n"
            f"self.log({name!r}, self.{score}, on_step=False, on_epoch=True)"
        )
    return f"self.log({name!r}, value, sync_dist=True)  # on every rank"


RULE = Rule(FAULT, find)
