"""How are records written as CSV? Numbers so that they read back as the same; nothing as nothing.

A spreadsheet takes a text for a formula by its first character, so those of texts from outside get
an apostrophe before them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TextIO

from ddpwatch.report.records import COLUMNS, Record

_FORMULA = ("=", "+", "-", "@")


def write_csv(records: Iterable[Record], file: TextIO) -> int:
    """Write a head and a line for each record; return how many there were."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007 - returned
        writer.writerow(map(_cell, record))
    return count


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) and not _is_number(value) else value
    return repr(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
