"""Does the dashboard work in a real terminal, with real ranks, at every size and with every key?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ddp import ranks
from tests.e2e.terminal import Terminal
from tests.e2e.test_situations import SET_A, toy

pytestmark = pytest.mark.ddp

ESCAPE = "\x1b"
CTRL_C = "\x03"


@pytest.fixture
def address() -> str:
    return f"127.0.0.1:{ranks.free_port()}"


@pytest.fixture
def terminal(address: str) -> Iterator[Terminal]:
    with Terminal("serve", "--bind", address) as opened:
        opened.wait_for("Waiting for ranks")
        yield opened


def train(address: str, folder: Path) -> list[Any]:
    """Two ranks validate three samples each at a time, under the dashboard."""
    plan = {"shards": SET_A, "batch_size": 1, "calls": 2, "gates": str(folder)}
    for rank in range(2):
        os.mkfifo(folder / f"end{rank}")
    return ranks.start(toy, 2, plan, env={"DDPWATCH": address})


def test_dashboard_waits_shows_a_run_and_quits(
    terminal: Terminal, address: str, tmp_path: Path
) -> None:
    terminal.wait_for(address)
    terminal.wait_for("callbacks=[DDPWatch()]")
    started = train(address, tmp_path)
    words = ("rank 0", "rank 1", "GLOBAL", "mean", "0.822", "0.444", "0.633", "0.679", "samples")
    terminal.wait_for(lambda text: all(word in text for word in words))
    for columns, rows in ((80, 24), (60, 20), (120, 36)):
        terminal.resize(columns, rows)
        screen = terminal.wait_for(lambda text: "0.679" in text and "GLOBAL" in text)
        assert all(len(line) <= columns for line in screen.splitlines())
    terminal.press("3")
    terminal.wait_for(lambda text: "live" in text and str(started[0][0].pid) in text)
    terminal.press("1")
    terminal.wait_for("0.679")
    terminal.press("?")
    terminal.wait_for("computed from")
    terminal.press(ESCAPE)
    terminal.wait_for("0.679")
    for rank in range(2):
        (tmp_path / f"end{rank}").write_bytes(b"go")
    ended = ranks.join(started)
    assert [each.exitcode for each in ended] == [0, 0]
    terminal.wait_for("ended")
    assert "0.679" in terminal.text
    terminal.press("q")
    assert terminal.wait_for_exit() == 0


def test_ctrl_c_ends_the_dashboard(terminal: Terminal) -> None:
    terminal.press(CTRL_C)
    assert terminal.wait_for_exit() in (0, 130)


def test_window_that_is_too_small_says_so_and_recovers(terminal: Terminal) -> None:
    terminal.resize(30, 6)
    terminal.wait_for("small")
    terminal.resize(80, 24)
    terminal.wait_for("Waiting for ranks")
