"""How are records written as Parquet? In groups of rows, a column for each field."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from ddpwatch.errors import UsageError
from ddpwatch.report.records import COLUMNS, Record

GROUP = 50_000
"""Records that are held before they are written."""

_NUMBERS = {
    **dict.fromkeys(("generation", "pass", "epoch", "dataloader", "rank"), "int32"),
    **dict.fromkeys(("step", "global_step", "samples"), "int64"),
    **dict.fromkeys(("value", "time"), "float64"),
    "final": "bool_",
}
_OPTIONAL = frozenset({"dataloader", "rank", "label", "samples"})


def require_pyarrow() -> Any:
    """Return the module, or raise `UsageError` that says how to get it."""
    try:
        import pyarrow.parquet  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        raise UsageError(
            "expected pyarrow for `--to parquet`, it is not installed: "
            "pip install 'ddpwatch[parquet]'"
        ) from error
    return pyarrow


def write_parquet(records: Iterable[Record], path: Path) -> int:
    """Write all records to a file; return how many there were.

    Raises:
        UsageError: pyarrow is not installed.
    """
    arrow = require_pyarrow()
    schema = _schema(arrow)
    waiting, count = iter(records), 0
    with arrow.parquet.ParquetWriter(path, schema) as writer:
        while group := list(islice(waiting, GROUP)):
            count += len(group)
            columns = zip(*group, strict=True)
            arrays = [
                arrow.array(column, type=field.type)
                for column, field in zip(columns, schema, strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
    return count


def _schema(arrow: Any) -> Any:
    kinds = {name: getattr(arrow, _NUMBERS.get(name, "string"))() for name in COLUMNS}
    fields = [arrow.field(name, kinds[name], nullable=name in _OPTIONAL) for name in COLUMNS]
    return arrow.schema(fields)
