"""What secret do a user's ranks and hubs share, and is the file that holds it the user's own?

Login nodes are shared, and anyone there can dial a loopback port or listen on one. Whoever holds
the token is the same user; `wire/greeting.py` proves that without sending it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from ddpwatch.errors import TokenError

SIZE = 32
NAME = "token"
VARIABLE = "DDPWATCH_RUNTIME_DIR"
"""Name of the environment variable that says where the token lies, above all other places."""


def load_token(environ: Mapping[str, str] | None = None) -> bytes:
    """Return the user's token, and make it first where there is none yet.

    Other processes of this user may do the same at the same moment: all get one token.

    Raises:
        TokenError: the folder or file cannot be made or read, or others could have.
    """
    folder = runtime_folder(os.environ if environ is None else environ)
    try:
        with _opened(folder) as folder_fd:
            _create_if_absent(folder_fd)
            return _read(folder_fd, folder)
    except OSError as error:
        raise TokenError(
            f"expected a private folder for the token at {folder}, got: {error.strerror or error}. "
            f"Set ${VARIABLE} to a folder on a local disk that only you can write."
        ) from error


def runtime_folder(environ: Mapping[str, str]) -> Path:
    """Return the token's folder: `$DDPWATCH_RUNTIME_DIR`, else in the session's runtime folder.

    A batch system often hands on `XDG_RUNTIME_DIR` from a machine where that folder existed, so it
    counts only where it is a folder of this user; failing that and `/run/user/UID`, the folder is a
    private one below the temporary directory.
    """
    if environ.get(VARIABLE):
        return Path(environ[VARIABLE])
    for parent in (environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{os.geteuid()}"):
        if parent and _is_ours(Path(parent)):
            return Path(parent) / "ddpwatch"
    return Path(tempfile.gettempdir()) / f"ddpwatch-{os.geteuid()}"


def _is_ours(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """Make the folder if need be and hold it open, so that what was checked is what is used."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _require_private(os.fstat(descriptor), folder, f"chmod 700 {folder}")
        yield descriptor
    finally:
        os.close(descriptor)


def _create_if_absent(folder_fd: int) -> None:
    if _exists(folder_fd):
        return
    # A link appears whole or not at all, so no other process can read half a token.
    draft = f".{NAME}-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(draft, flags, 0o600, dir_fd=folder_fd)
    try:
        os.write(descriptor, secrets.token_bytes(SIZE))
        with contextlib.suppress(FileExistsError):
            os.link(draft, NAME, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    finally:
        os.close(descriptor)
        os.unlink(draft, dir_fd=folder_fd)


def _exists(folder_fd: int) -> bool:
    try:
        os.stat(NAME, dir_fd=folder_fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _read(folder_fd: int, folder: Path) -> bytes:
    path = folder / NAME
    # Without NONBLOCK, a pipe in the file's place would make this wait for a writer.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(NAME, flags, dir_fd=folder_fd)
    try:
        found = os.fstat(descriptor)
        _require_private(found, path, f"rm {path}")
        if not stat.S_ISREG(found.st_mode) or found.st_size != SIZE:
            raise TokenError(
                f"expected a file of {SIZE} bytes at {path}, got {found.st_size}: it is damaged. "
                f"Remove it (rm {path}) and start the hub and the training again."
            )
        return os.read(descriptor, SIZE)
    finally:
        os.close(descriptor)


def _require_private(found: os.stat_result, path: Path, remedy: str) -> None:
    if found.st_uid != os.geteuid():
        raise TokenError(
            f"expected {path} to belong to user {os.geteuid()}, got user {found.st_uid}: it may be "
            f"a trap. Set ${VARIABLE} to a folder of your own."
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise TokenError(
            f"expected {path} to be closed to other users, got mode "
            f"{stat.S_IMODE(found.st_mode):04o}: others may know the token. Run: {remedy}"
        )
