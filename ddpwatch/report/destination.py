"""How does a file come into being whole or not at all? Under another name, until it is complete."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ddpwatch.errors import UsageError


@contextmanager
def written_whole(destination: Path, *, force: bool, folder: bool = False) -> Iterator[Path]:
    """Give out a name to write to, a new folder if `folder`, and move it into place at the end.

    Where the block raises, nothing is left of it, and what was at `destination` before still is.

    Raises:
        UsageError: there is something already, and no `force`, or something that is not replaced.
    """
    _require_room(destination, force=force, folder=folder)
    beside = destination.with_name(f".{destination.name[:100]}.{os.getpid()}.part")
    try:
        if folder:
            beside.mkdir()
        yield beside
        if folder and destination.exists():
            _swap(beside, destination)
        else:
            beside.replace(destination)
    except OSError as error:
        raise UsageError(
            f"expected to write {destination}, got {error.strerror or error}: "
            "name another place, or make room there"
        ) from error
    finally:
        _remove(beside)


def _require_room(destination: Path, *, force: bool, folder: bool) -> None:
    if not destination.name or not destination.parent.is_dir():
        raise UsageError(
            f"expected a name in a folder that is there, got {destination}: make the folder first"
        )
    if not os.path.lexists(destination):
        return
    kind = "folder" if folder else "file"
    if destination.is_dir() != folder or destination.is_symlink():
        raise UsageError(f"expected a {kind} or nothing at {destination}: name another place")
    if not force:
        raise UsageError(f"expected nothing at {destination}, got a {kind}: add --force")
    if folder and not all(map(_is_event_file, _files_in(destination))):
        # A folder is replaced with all that is in it, so it must be one that was made like this.
        raise UsageError(
            f"expected only TensorBoard's event files in {destination}, got others as well: "
            "name another folder, or remove it yourself"
        )


def _files_in(folder: Path) -> Iterator[Path]:
    for found in folder.rglob("*"):
        if not found.is_dir() or found.is_symlink():
            yield found


def _is_event_file(path: Path) -> bool:
    return path.name.startswith("events.out.tfevents.") and not path.is_symlink()


def _swap(new: Path, old: Path) -> None:
    aside = new.with_suffix(".old")
    old.rename(aside)
    try:
        new.rename(old)
    except OSError:
        aside.rename(old)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
