"""Who listens on a TCP port of this machine, as far as Linux tells an ordinary user?"""

from __future__ import annotations

import contextlib
import ipaddress
import pwd
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

PROC = Path("/proc")
LONGEST_COMMAND = 120
_LISTENS = "0A"


@dataclass(frozen=True, slots=True)
class Owner:
    """A listening process; `pid` is None where it belongs to another user and cannot be seen."""

    user: str
    pid: int | None = None
    command: str = ""

    def __str__(self) -> str:
        if self.pid is None:
            return f"a process of user {self.user}"
        return f"process {self.pid} of user {self.user} ({self.command})"


@dataclass(frozen=True, slots=True)
class Listener:
    """One listening socket, as a line of `/proc/net/tcp` has it."""

    host: Address
    port: int
    uid: int
    inode: int


def owner_of(endpoint: str, proc: Path = PROC) -> Owner | None:
    """Return who listens at a `tcp://` endpoint, or None where that cannot be told."""
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    try:
        wanted = ipaddress.ip_address(host.strip("[]"))
        found = [each for each in listeners(proc) if each.port == int(port)]
    except (OSError, ValueError):
        return None
    for listener in found:
        if listener.host == wanted or listener.host.is_unspecified:
            return _owner(listener, proc)
    return None


def listeners(proc: Path = PROC) -> Iterator[Listener]:
    """Read the kernel's tables of listening sockets; raises `OSError` where there are none."""
    for table in ("tcp", "tcp6"):
        for line in (proc / "net" / table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENS:
                host, _, port = fields[1].partition(":")
                yield Listener(_host(host), int(port, 16), int(fields[7]), int(fields[9]))


def _host(text: str) -> Address:
    # The kernel prints 32-bit words in the machine's byte order, taken here for little endian.
    words = [bytes.fromhex(text[at : at + 8])[::-1] for at in range(0, len(text), 8)]
    return ipaddress.ip_address(b"".join(words))


def _owner(listener: Listener, proc: Path) -> Owner:
    user = _user(listener.uid)
    pid = _pid_with(f"socket:[{listener.inode}]", proc)
    return Owner(user) if pid is None else Owner(user, pid, _command(pid, proc))


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _pid_with(link: str, proc: Path) -> int | None:
    for folder in proc.iterdir():
        # Processes of others cannot be read, and any may end while one looks at it.
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and _holds(folder / "fd", link):
                return int(folder.name)
    return None


def _holds(descriptors: Path, link: str) -> bool:
    for descriptor in descriptors.iterdir():
        with contextlib.suppress(OSError):
            if str(descriptor.readlink()) == link:
                return True
    return False


def _command(pid: int, proc: Path) -> str:
    try:
        raw = (proc / str(pid) / "cmdline").read_bytes()
    except OSError:
        return "?"
    words = raw.decode(errors="replace").replace("\0", " ").strip()
    shown = "".join(each if each.isprintable() else "?" for each in words)
    return shown if len(shown) <= LONGEST_COMMAND else f"{shown[: LONGEST_COMMAND - 1]}…"
