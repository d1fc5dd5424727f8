"""Which keys are those of the pass before under another name, and which are not logged any more?

Lightning appends `/dataloader_idx_0` as soon as a stage has two dataloaders, so a second one that
is there in some epochs only renames the keys of the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ddpwatch.board.snapshot import LoggedId, LoggedRow, LoggedTable

_SUFFIX = re.compile("/dataloader_idx_[0-9]+$")


def beside_before(table: LoggedTable, before: Sequence[LoggedId]) -> LoggedTable:
    """Return a table whose rows say what they were called in the pass before.

    `gone` names what was logged there and, now that the table is final, is not logged here.
    """
    here = {row.id.name for row in table.rows}
    left = [each for each in before if each.name not in here]
    known = {each.name for each in before}
    rows = tuple(row if row.id.name in known else _renamed(row, left) for row in table.rows)
    taken = {row.was for row in rows}
    gone = tuple(each.name for each in left if each.name not in taken) if table.final else ()
    return replace(table, rows=rows, gone=gone)


def _renamed(row: LoggedRow, left: Iterable[LoggedId]) -> LoggedRow:
    was = next((each.name for each in left if _series(each) == _series(row.id)), "")
    return replace(row, was=was) if was else row


def _series(logged: LoggedId) -> tuple[str, str, str, int]:
    """What stays the same when the suffix comes or goes: no suffix stands for the first loader."""
    name = _SUFFIX.sub("", logged.name)
    return logged.hook, name, logged.kind, max(logged.dataloader, 0)
