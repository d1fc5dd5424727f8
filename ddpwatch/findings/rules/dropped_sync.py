"""DW109: was `sync_dist=True` asked for and left out without notice?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding, LoggedRow, Severity
from ddpwatch.findings.evidence import Evidence, PassEvidence
from ddpwatch.findings.logged_rows import epoch_rows
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import called_name, place

FAULT = Fault(
    code="DW109",
    severity="info",
    title="`sync_dist=True` is dropped without notice",
    why=(
        "Lightning does not sync a key with `rank_zero_only=True`, and leaves a metric object to "
        "reduce its own states. Both take `sync_dist=True` without a word."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield keys whose call asked for a sync that does not take place."""
    if evidence.world_size < 2:
        return
    for taken in evidence.passes:
        for row in epoch_rows(taken):
            is_object = row.source.startswith("metric ")
            if row.sync_dist and (row.rank_zero_only or is_object):
                yield _finding(row, taken, is_object=is_object)


def _finding(row: LoggedRow, taken: PassEvidence, *, is_object: bool) -> Finding:
    # A metric that reduces its own states is right without the sync; nobody decides wrongly by it.
    harmless = is_object and not row.rank_zero_only and row.reduction != "rank-local"
    severity: Severity = "warning" if row.monitored_by and not harmless else "info"
    name, path = called_name(row), row.source.removeprefix("metric ")
    cause = f"it is the metric object {path}" if is_object else "of rank_zero_only=True"
    monitored = f", and {' and '.join(row.monitored_by)} monitors it" if row.monitored_by else ""
    value = "metric" if is_object else "value"
    fix = (
        f"self.log({name!r}, {value})  # the object reduces itself"
        if harmless
        else f"self.log({name!r}, {value}, sync_dist=True)  # without rank_zero_only"
    )
    return FAULT.finding(
        f"{row.id.name} in {place(taken.key)} is not synced, because {cause}{monitored}",
        fix,
        key=row.id.name,
        pass_key=taken.key._replace(dataloader=max(row.id.dataloader, 0)),
        severity=severity,
    )


RULE = Rule(FAULT, find)
