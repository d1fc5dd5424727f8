"""How are records drawn by TensorBoard? A folder for each rank, one for the mean, one global."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ddpwatch.errors import UsageError
from ddpwatch.report.records import Record

MOST_RANKS = 256
"""Each one has a file of its own open, and a thread that writes to it."""

_UNTRAINED = ("test", "predict")


class _Point(NamedTuple):
    x: int
    value: float
    time: float


def require_tensorboard() -> tuple[Any, Any, Any]:
    """Return what writes events, and the two kinds of which they are made.

    Raises:
        UsageError: it is not installed; the text says how to get it.
    """
    try:
        from tensorboard.compat.proto.event_pb2 import Event  # noqa: PLC0415 - an extra
        from tensorboard.compat.proto.summary_pb2 import Summary  # noqa: PLC0415 - the same
        from tensorboard.summary.writer.event_file_writer import (  # noqa: PLC0415 - the same
            EventFileWriter,
        )
    except ImportError as error:
        raise UsageError(
            "expected tensorboard for `--to tensorboard`, it is not installed: "
            "pip install 'ddpwatch[tensorboard]'"
        ) from error
    return EventFileWriter, Event, Summary


def write_tensorboard(records: Iterable[Record], folder: Path, *, several: bool = False) -> int:
    """Write all records to event files below a folder; return how many points there are.

    With `several` runs, each has a folder of its own.

    Raises:
        UsageError: tensorboard is not installed, or there are too many ranks.
    """
    writers = _Writers(folder)
    try:
        for record in records:
            writers.add(_place(record, several=several), _tag(record), record)
        return writers.finish()
    finally:
        writers.close()


class _Writers:
    """Open files, and of each line the newest point, which another one of the same x replaces."""

    def __init__(self, folder: Path) -> None:
        self._make, self._event, self._summary = require_tensorboard()
        self._folder = folder
        self._files: dict[str, Any] = {}
        self._newest: dict[tuple[str, str], _Point] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._written = 0

    def add(self, place: str, tag: str, record: Record) -> None:
        """Take in a value; all steps of a validation are at one global step, the last one stays."""
        line = (place, tag)
        x = record.global_step
        if x == 0 and record.stage in _UNTRAINED:
            # Nothing was trained, so there is no global step to go by.
            x = self._counts[line] = self._counts.get(line, -1) + 1
        before = self._newest.get(line)
        if before is not None and before.x != x:
            self._write(place, tag, before)
        self._newest[line] = _Point(x, record.value, record.time)

    def finish(self) -> int:
        """Write what is left, and return how many points there are in all."""
        for (place, tag), point in self._newest.items():
            self._write(place, tag, point)
        self._newest.clear()
        return self._written

    def close(self) -> None:
        """Close all files."""
        for file in self._files.values():
            file.close()

    def _write(self, place: str, tag: str, point: _Point) -> None:
        file = self._files.get(place)
        if file is None:
            if len(self._files) >= MOST_RANKS + 2:
                raise UsageError(
                    f"expected at most {MOST_RANKS} ranks for TensorBoard, got more: "
                    "export to parquet or csv instead"
                )
            file = self._files[place] = self._make(str(self._folder / place))
        value = self._summary.Value(tag=tag, simple_value=point.value)
        summary = self._summary(value=[value])
        file.add_event(self._event(wall_time=point.time, step=point.x, summary=summary))
        self._written += 1


def _place(record: Record, *, several: bool) -> str:
    name = record.of if record.rank is None else f"rank{record.rank}"
    restarts = f"-restart{record.generation}" if record.generation else ""
    return f"{_folder_name(record.run)}/{name}{restarts}" if several else f"{name}{restarts}"


def _folder_name(run: str) -> str:
    """A run's id without what leads elsewhere; two ids that look alike then still differ."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", run)[:80]
    return plain if plain == run else f"{plain}-{zlib.crc32(run.encode()):08x}"


def _tag(record: Record) -> str:
    loader = f"/dataloader{record.dataloader}" if record.dataloader else ""
    if record.of == "logged":
        return f"{record.stage}/logged/{record.metric}"
    parts = [f"{record.stage}{loader}", record.metric, record.score]
    return "/".join([*parts, *([] if record.label is None else [record.label])])
