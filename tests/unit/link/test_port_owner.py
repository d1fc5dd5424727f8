"""Is the process found that listens on a port, where the kernel lets one see it?"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from ddpwatch.link.port_owner import Owner, owner_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

HEADER = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
LINE = "  0: {local}:{port:04X} 00000000:0000 {state} 0:0 00:00 00000000 {uid} 0 {inode} 1 0\n"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A machine where process 42 of user 4242 listens on 127.0.0.1:7787, and others elsewhere."""
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "tcp").write_text(
        HEADER
        + LINE.format(local="0100007F", port=7787, state="01", uid=1, inode=1)
        + LINE.format(local="0200007F", port=7787, state="0A", uid=1, inode=2)
        + LINE.format(local="0100007F", port=7787, state="0A", uid=4242, inode=3)
        + LINE.format(local="00000000", port=7788, state="0A", uid=4242, inode=4)
    )
    (tmp_path / "net" / "tcp6").write_text(
        HEADER + LINE.format(local="0" * 24 + "01000000", port=7789, state="0A", uid=4242, inode=5)
    )
    folder = tmp_path / "42" / "fd"
    folder.mkdir(parents=True)
    (folder / "1").symlink_to("/dev/null")
    for inode in (3, 5):
        (folder / str(inode)).symlink_to(f"socket:[{inode}]")
    (tmp_path / "42" / "cmdline").write_bytes(b"python\0-m\0ddpwatch\x1b[31m\0serve\0")
    return tmp_path


def test_the_listener_at_this_address_is_found(proc: Path) -> None:
    owner = owner_of("tcp://127.0.0.1:7787", proc)
    assert owner == Owner("4242", 42, "python -m ddpwatch?[31m serve")
    assert str(owner) == "process 42 of user 4242 (python -m ddpwatch?[31m serve)"


def test_a_listener_on_every_address_holds_this_one_too(proc: Path) -> None:
    assert owner_of("tcp://127.0.0.1:7788", proc) == Owner("4242")
    assert str(owner_of("tcp://127.0.0.1:7788", proc)) == "a process of user 4242"


def test_addresses_of_the_sixth_version_are_read_too(proc: Path) -> None:
    owner = owner_of("tcp://[::1]:7789", proc)
    assert owner is not None
    assert owner.pid == 42


@pytest.mark.parametrize(
    "endpoint", ["tcp://127.0.0.1:1", "tcp://127.0.0.3:7787", "tcp://127.0.0.1:*", "ipc:///tmp/x"]
)
def test_nobody_is_named_without_evidence(proc: Path, endpoint: str) -> None:
    assert owner_of(endpoint, proc) is None


def test_a_machine_without_these_tables_names_nobody(tmp_path: Path) -> None:
    assert owner_of("tcp://127.0.0.1:7787", tmp_path) is None


def test_a_long_command_is_cut(proc: Path) -> None:
    (proc / "42" / "cmdline").write_bytes(b"x" * 1000)
    owner = owner_of("tcp://127.0.0.1:7787", proc)
    assert owner is not None
    assert len(owner.command) == 120


def test_this_very_process_is_found_on_this_very_machine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        owner = owner_of(f"tcp://127.0.0.1:{server.getsockname()[1]}")
    assert owner is not None
    assert owner.pid == os.getpid()
    assert "python" in owner.command
