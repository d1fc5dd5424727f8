"""Which folder does a run's next part belong in? A new one, unless the same processes have one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from ddpwatch.errors import FrameError, RecordingError
from ddpwatch.recording.channels import HELLO
from ddpwatch.recording.reading import chunk_records
from ddpwatch.recording.scan import PartMap, scan
from ddpwatch.wire.codec import decode

SUFFIX = ".mcap"
NEWEST = 50
"""Folders that are looked into, the newest first."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def slug(word: str) -> str:
    """Return a name for a folder that says which run it is, on every file system."""
    return _UNSAFE.sub("-", word).strip("-.")[:40] or "run"


Home: TypeAlias = Callable[[Path, str, str, float], Path]
"""From the root, a run, the claim that speaks first and when: the folder, which exists then."""


def home_of(root: Path, run: str, claim: str, at: float) -> Path:
    """Return the folder for a part of `run` that `claim` opens at `at`; it exists then.

    Raises:
        OSError: it cannot be made.
    """
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    for folder in _newest(root):
        if folder.name.endswith(f"-{slug(run)}") and claim in set(_claims(folder, run)):
            return folder
    day = datetime.fromtimestamp(at).astimezone().strftime("%Y%m%d-%H%M%S")
    folder = root / f"{day}-{slug(run)}"
    folder.mkdir(exist_ok=True, mode=0o700)
    return folder


def home_of_rank(root: Path, run: str, claim: str, at: float) -> Path:  # noqa: ARG001 - a `Home`
    """Return the folder that all ranks of `run` share, found by each of them without asking.

    Raises:
        OSError: it cannot be made.
    """
    folder = root / slug(run)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def claims_of(part: PartMap) -> frozenset[str]:
    """Return which processes speak in a part, as far as it can be read."""
    found = set()
    try:
        with part.path.open("rb") as file:
            for place in part.chunks:
                if place.channels and HELLO not in place.channels:
                    continue
                for record in chunk_records(file, part, place):
                    if record.channel == HELLO:
                        found.add(decode(record.data).claim)
    except (OSError, RecordingError, FrameError):
        pass
    return frozenset(found)


def _newest(root: Path) -> list[Path]:
    folders = sorted((each for each in root.iterdir() if each.is_dir()), reverse=True)
    return folders[:NEWEST]


def _claims(folder: Path, run: str) -> Iterator[str]:
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            part = scan(path)
        except RecordingError:
            continue
        if part.about.get("run") == run:
            yield from claims_of(part)
