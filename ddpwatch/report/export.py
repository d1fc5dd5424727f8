"""How does a recording become a file for other programs, in each format that there is?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TextIO

from ddpwatch.errors import UsageError
from ddpwatch.report.csv_file import write_csv
from ddpwatch.report.destination import written_whole
from ddpwatch.report.parquet_file import require_pyarrow, write_parquet
from ddpwatch.report.recorded import Recording
from ddpwatch.report.records import Record
from ddpwatch.report.tensorboard_folder import require_tensorboard, write_tensorboard
from ddpwatch.report.unrolling import unroll

_REQUIRE: dict[str, Callable[[], object]] = {
    "parquet": require_pyarrow,
    "tensorboard": require_tensorboard,
}


def export(
    recording: Recording,
    wanted: frozenset[str],
    to: str,
    destination: str,
    *,
    stdout: TextIO,
    force: bool = False,
) -> int:
    """Write the `wanted` runs (ids), and return how many values there were.

    `to` is `csv`, `parquet` or `tensorboard`; the destination of a CSV may be `-` for `stdout`.

    Raises:
        UsageError: what is needed is not installed, or the destination cannot be used.
    """
    # Asked before a long recording is read for nothing.
    _REQUIRE.get(to, lambda: None)()
    records = unroll(recording, wanted)
    if destination == "-":
        if to != "csv":
            raise UsageError(f"expected a path for `--to {to}`, got -: only csv goes to stdout")
        return write_csv(records, stdout)
    folder = to == "tensorboard"
    with written_whole(Path(destination), force=force, folder=folder) as path:
        return _writer(to, several=len(wanted) > 1)(records, path)


def _writer(to: str, *, several: bool) -> Callable[[Iterable[Record], Path], int]:
    if to == "tensorboard":
        return partial(write_tensorboard, several=several)
    return write_parquet if to == "parquet" else _write_csv


def _write_csv(records: Iterable[Record], path: Path) -> int:
    with path.open("w", encoding="utf-8", newline="") as file:
        return write_csv(records, file)
