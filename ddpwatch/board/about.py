"""Which findings are about a row, about how its samples were dealt out, about a logged key?

A finding stands for its stage in every epoch, and one without a pass for the whole run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ddpwatch.board.snapshot import Finding, LoggedRow, PassKey, Row


def key_names(row: LoggedRow) -> frozenset[str]:
    """The names under which a finding may speak of a logged key."""
    return frozenset({row.id.name, row.alias} - {""})


def row_names(row: Row, report: LoggedRow | None) -> frozenset[str]:
    """The names under which a finding may speak of a metric's row and the key that reports it."""
    return frozenset({row.key.metric}).union(key_names(report) if report is not None else ())


def about_row(
    findings: Iterable[Finding], key: PassKey, row: Row, report: LoggedRow | None
) -> tuple[Finding, ...]:
    """The findings about a row of the pass `key`, where `report` is the logged key that reports it.

    One about the metric of another dataloader is not; one about the key is, as it names its own.
    """
    names = row_names(row, report)
    return tuple(
        each
        for each in findings
        if each.key in names and _is_of_stage(each, key) and not _is_elsewhere(each, row, key)
    )


def about_samples(findings: Iterable[Finding], key: PassKey) -> tuple[Finding, ...]:
    """The findings (DW2xx) that say how a loader's samples were dealt out to the ranks."""
    return tuple(
        each
        for each in findings
        if not each.key and each.code.startswith("DW2") and _is_of_loader(each, key)
    )


def about_key(findings: Iterable[Finding], key: PassKey, row: LoggedRow) -> tuple[Finding, ...]:
    """The findings about a logged key of the pass `key`."""
    names = key_names(row)
    return tuple(each for each in findings if each.key in names and _is_of_stage(each, key))


def codes(findings: Sequence[Finding]) -> tuple[str, ...]:
    """The codes of findings, each once."""
    return tuple(sorted({each.code for each in findings}))


def _is_of_stage(finding: Finding, key: PassKey) -> bool:
    return finding.pass_key is None or finding.pass_key.stage == key.stage


def _is_of_loader(finding: Finding, key: PassKey) -> bool:
    where = finding.pass_key
    return where is not None and (where.stage, where.dataloader) == (key.stage, key.dataloader)


def _is_elsewhere(finding: Finding, row: Row, key: PassKey) -> bool:
    where = finding.pass_key
    about_metric = finding.key == row.key.metric
    return about_metric and where is not None and where.dataloader != key.dataloader
