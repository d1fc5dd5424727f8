"""Which logged key reports which row of the metrics table, and which findings are about them?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ddpwatch.board.about import about_key, about_row, about_samples, codes
from ddpwatch.board.snapshot import Finding, LoggedRow, LoggedTable, Row, RowKey, Table


def table_with_logged(
    table: Table, logged: LoggedTable | None, findings: Sequence[Finding]
) -> Table:
    """Return the table with what was logged beside each row, and the codes of its findings."""
    reports = _reports(logged.rows if logged is not None else (), table.key.dataloader)
    rows = []
    for row in table.rows:
        report = reports.get(row.key)
        here = about_row(findings, table.key, row, report)
        rows.append(replace(_joined(row, report), codes=codes(here)))
    dealt = about_samples(findings, table.key)
    return replace(table, rows=tuple(rows), codes=codes(dealt))


def logged_with_codes(logged: LoggedTable, findings: Sequence[Finding]) -> LoggedTable:
    """Return the table of logged keys with the codes of the findings about each of them."""
    rows = (replace(row, codes=codes(about_key(findings, logged.key, row))) for row in logged.rows)
    return replace(logged, rows=tuple(rows))


def report_of(row: Row, logged: LoggedTable | None) -> LoggedRow | None:
    """The logged key that stands beside a row."""
    if row.logged is None or logged is None:
        return None
    return next((each for each in logged.rows if each.id == row.logged), None)


def _joined(row: Row, report: LoggedRow | None) -> Row:
    if report is None:
        return row
    value = float(report.ranks[0]) if len(report.ended) and report.ended[0] else None
    return replace(
        row,
        logged=report.id,
        logged_value=value,
        logged_gap=None if value is None or row.global_ is None else value - row.global_,
    )


def _reports(rows: Iterable[LoggedRow], dataloader: int) -> dict[RowKey, LoggedRow]:
    """The key that reports each row: one of the epoch before one of a step, then the first."""
    found: dict[RowKey, LoggedRow] = {}
    for row in rows:
        if row.metric is None or row.id.dataloader not in (-1, dataloader):
            continue
        known = found.get(row.metric)
        if known is None or (known.id.kind, row.id.kind) == ("step", "epoch"):
            found[row.metric] = row
    return found
