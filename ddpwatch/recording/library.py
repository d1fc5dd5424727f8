"""Which recordings are there, and which files does a name or path mean?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import platformdirs

from ddpwatch.errors import RecordingError, UsageError
from ddpwatch.recording.homes import SUFFIX, claims_of
from ddpwatch.recording.recording import Recording
from ddpwatch.recording.scan import PartMap, scan

VARIABLE = "DDPWATCH_RECORDINGS"
"""Name of the environment variable that says where recordings lie."""

LATEST = "latest"


def recordings_folder(environ: Mapping[str, str]) -> Path:
    """Where runs are recorded by default: `$DDPWATCH_RECORDINGS`, else in the user's data."""
    if environ.get(VARIABLE):
        return Path(environ[VARIABLE])
    return platformdirs.user_data_path("ddpwatch", appauthor=False) / "recordings"


def open_recordings(path: str | Path) -> Recording:
    """Return everything at a path as one recording, not open yet.

    `path` is a part file, a folder with parts (at any depth), a name that `ddpwatch list` shows, or
    `latest`. Files that cannot be read are told in its notes, as long as there are others.

    Raises:
        UsageError: there is nothing of that name.
        RecordingError: nothing there is a recording.
    """
    found = _resolved(path, os.environ)
    scanned = [_scanned(each) for each in _files(found)]
    parts = [each for each in scanned if isinstance(each, PartMap)]
    troubles = [each for each in scanned if isinstance(each, str)]
    if not parts:
        nothing = f"expected recordings ({SUFFIX} files) in {found}, got none"
        raise RecordingError(troubles[0] if troubles else nothing)
    recording = Recording(parts)
    for trouble in troubles:
        recording.complain(trouble)
    return recording


def listed(folder: Path) -> Iterator[tuple[str, list[PartMap]]]:
    """Yield name and parts of every recording below a folder, the newest first.

    Parts of one run in one folder are one recording where the same process speaks in both, or where
    they overlap in time, as the files of a run's ranks do.
    """
    if not folder.is_dir():
        return
    for path in sorted((p for p in folder.iterdir() if p.is_dir()), reverse=True):
        groups = grouped(_readable(path))
        for number, parts in enumerate(groups, 1):
            yield path.name if len(groups) == 1 else f"{path.name}#{number}", parts


def grouped(parts: Sequence[PartMap]) -> list[list[PartMap]]:
    """Put parts together that are of one recording."""
    groups: list[tuple[list[PartMap], set[str]]] = []
    for part in sorted(parts, key=_begin):
        claims = claims_of(part)
        joined = [g for g in groups if _belongs(part, claims, g[0], g[1])]
        for group in joined:
            groups.remove(group)
        together = [p for group in joined for p in group[0]] + [part]
        groups.append((together, set(claims).union(*(group[1] for group in joined))))
    return [group for group, _ in groups]


def _belongs(
    part: PartMap, claims: frozenset[str], group: Sequence[PartMap], theirs: set[str]
) -> bool:
    if part.about.get("run") != group[0].about.get("run"):
        return False
    return bool(claims & theirs) or any(_overlap(part, each) for each in group)


def _overlap(one: PartMap, other: PartMap) -> bool:
    if not one.chunks or not other.chunks:
        return False
    return (
        one.chunks[0].start <= other.chunks[-1].end and other.chunks[0].start <= one.chunks[-1].end
    )


def _begin(part: PartMap) -> int:
    return part.chunks[0].start if part.chunks else 0


def _readable(folder: Path) -> list[PartMap]:
    scanned = (_scanned(path) for path in _files(folder))
    return [each for each in scanned if isinstance(each, PartMap)]


def _scanned(path: Path) -> PartMap | str:
    """The map of a file, or what is wrong with it."""
    try:
        return scan(path)
    except RecordingError as error:
        return str(error)


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]


def _resolved(path: str | Path, environ: Mapping[str, str]) -> Path:
    given = Path(path)
    if given.exists():
        return given
    folder = recordings_folder(environ)
    if str(path) == LATEST:
        newest = max((p for p in folder.glob("*/") if p.is_dir()), default=None)
        if newest is not None:
            return newest
        raise UsageError(f"expected a recording in {folder}, got none: `ddpwatch serve` makes them")
    if len(given.parts) == 1 and (folder / given).exists():
        return folder / given
    raise UsageError(
        f"expected a recording, got {str(path)!r}, which is neither a path nor a name in "
        f"{folder}: `ddpwatch list` shows what is there"
    )
