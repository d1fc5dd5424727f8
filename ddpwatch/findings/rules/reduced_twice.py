"""DW104: is a value that was already global reduced once more?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding, LoggedRow, Severity
from ddpwatch.findings.evidence import Evidence, PassEvidence
from ddpwatch.findings.logged_rows import ended_rows, ended_values, was_global
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.sameness import differs
from ddpwatch.findings.wording import called_name, number, place

FAULT = Fault(
    code="DW104",
    severity="warning",
    title="an already-global value is reduced again",
    why=(
        "What a metric's `compute()` returns is reduced over all ranks already, and the same on "
        "each of them. A second reduction by the sum multiplies it by the number of ranks; by the "
        "mean, the least or the greatest it changes nothing and costs a collective call."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield synced tensors that every rank held as the global value before the sync."""
    if evidence.world_size < 2:
        return
    for taken in evidence.passes:
        for row in ended_rows(taken):
            if row.sync_dist and not row.rank_zero_only and was_global(row):
                yield from _finding(row, taken)


def _finding(row: LoggedRow, taken: PassEvidence) -> Iterator[Finding]:
    ended = ended_values(row)
    if not ended or row.global_ is None:
        return
    value, world = next(iter(ended.values())), len(row.called)
    is_wrong = differs(value, row.global_)
    if is_wrong and row.reduction != "sum-of-ranks":
        return
    severity: Severity = "warning" if is_wrong else "info"
    told = (
        f"{number(value)}, {world} times {number(row.global_)}, which every rank had before"
        if is_wrong
        else f"{number(row.global_)} on every rank before and after its sync"
    )
    name = called_name(row)
    yield FAULT.finding(
        f"{row.id.name} in {place(taken.key)} is {told}",
        f"self.log({name!r}, value)  # without sync_dist: every rank has it already",
        key=row.id.name,
        ranks=ended,
        pass_key=taken.key._replace(dataloader=max(row.id.dataloader, 0)),
        severity=severity,
    )


RULE = Rule(FAULT, find)
