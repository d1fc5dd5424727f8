"""Which logged key reports which row of the metrics table, and which findings are about them?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ddpwatch.board.snapshot import Finding, LoggedRow, LoggedTable, PassKey, Row, RowKey, Table


def table_with_logged(
    table: Table, logged: LoggedTable | None, findings: Sequence[Finding]
) -> Table:
    """Return the table with what was logged beside each row, and the codes of its findings."""
    here = [each for each in findings if _is_of_stage(each, table.key)]
    reports = _reports(logged.rows if logged is not None else (), table.key.dataloader)
    rows = []
    for row in table.rows:
        about = [each for each in here if not _is_elsewhere(each, row, table.key)]
        rows.append(_joined(row, reports.get(row.key), about))
    dealt = [each for each in here if _is_about_dealing(each, table.key)]
    return replace(table, rows=tuple(rows), codes=_codes({""}, dealt))


def logged_with_codes(logged: LoggedTable, findings: Sequence[Finding]) -> LoggedTable:
    """Return the table of logged keys with the codes of the findings about each of them."""
    here = [each for each in findings if _is_of_stage(each, logged.key)]
    return replace(
        logged, rows=tuple(replace(row, codes=_codes(_names(row), here)) for row in logged.rows)
    )


def _joined(row: Row, report: LoggedRow | None, findings: Sequence[Finding]) -> Row:
    names = {row.key.metric}
    if report is None:
        return replace(row, codes=_codes(names, findings))
    value = float(report.ranks[0]) if len(report.ended) and report.ended[0] else None
    return replace(
        row,
        logged=report.id,
        logged_value=value,
        logged_gap=None if value is None or row.global_ is None else value - row.global_,
        codes=_codes(names | _names(report), findings),
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


def _names(row: LoggedRow) -> set[str]:
    return {row.id.name, row.alias} - {""}


def _codes(names: set[str], findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(sorted({each.code for each in findings if each.key in names}))


def _is_of_stage(finding: Finding, key: PassKey) -> bool:
    return finding.pass_key is None or finding.pass_key.stage == key.stage


def _is_about_dealing(finding: Finding, key: PassKey) -> bool:
    """Whether it says how this loader's samples were dealt out to the ranks: a DW2xx."""
    where = finding.pass_key
    is_of_loader = where is not None and where.dataloader == key.dataloader
    return is_of_loader and finding.code.startswith("DW2")


def _is_elsewhere(finding: Finding, row: Row, key: PassKey) -> bool:
    """Whether it is about this metric, but on another dataloader."""
    where = finding.pass_key
    about_metric = finding.key == row.key.metric
    return about_metric and where is not None and where.dataloader != key.dataloader
