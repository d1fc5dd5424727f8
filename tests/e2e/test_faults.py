"""Is nothing lost, and nothing slowed down, when the hub comes late, dies, or is thrown garbage at?

Ranks stand still at gates (named pipes) until the test has seen what it waits for, so no test
depends on timing.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ddpwatch.board.board import Board
from ddpwatch.link.hub import Hub
from ddpwatch.report.document import build_report, to_json
from ddpwatch.wire.token import load_token
from tests.ddp import ranks
from tests.e2e.test_situations import SET_B, toy
from tests.e2e.watched import epochs, row

pytestmark = pytest.mark.ddp

GLOBAL = pytest.approx(0.6349, abs=1e-4)


class Run:
    """Two ranks under way, and the gates that hold them."""

    def __init__(self, folder: Path, address: str, *gates: str, **plan: Any) -> None:
        self.folder = folder
        for gate in gates:
            for rank in range(2):
                os.mkfifo(folder / f"{gate}{rank}")
        plan = {"shards": SET_B, "gates": str(folder), **plan}
        self.started = ranks.start(toy, 2, plan, env={"DDPWATCH": address})

    def open(self, gate: str) -> None:
        """Let both ranks pass; waits for them to stand there."""
        for rank in range(2):
            (self.folder / f"{gate}{rank}").write_bytes(b"go")

    def end(self) -> list[Any]:
        """Wait for both ranks to end well; return their results."""
        ended = ranks.join(self.started)
        assert [(e.exitcode, e.error) for e in ended] == [(0, ""), (0, "")]
        return [each.result for each in ended]


def listen(hub: Hub, board: Board, until: Callable[[Board], bool]) -> None:
    """Fold until `until` holds, within a minute of receive time."""
    begun: float | None = None
    for batch in hub.batches():
        board.fold(batch)
        if until(board):
            return
        begun = begun or board.now or None
        assert begun is None or board.now - begun < 60, "what the test waits for has not come"


def finals(count: int) -> Callable[[Board], bool]:
    """Whether so many passes are final on both ranks."""

    def have(board: Board) -> bool:
        passes = [p for run in board.runs.values() for p in run.passes.values()]
        return sum(each.is_final(range(2)) for each in passes) >= count

    return have


def report_of(board: Board) -> dict[str, Any]:
    (run,) = board.runs.values()
    return msgspec.json.decode(to_json(build_report(run, board.now)))  # type: ignore[no-any-return]


@pytest.fixture
def address() -> Iterator[str]:
    """An address on which nobody listens yet."""
    yield f"tcp://127.0.0.1:{ranks.free_port()}"


def test_hub_that_starts_late_gets_every_finished_pass(tmp_path: Path, address: str) -> None:
    run = Run(tmp_path, address, "end", calls=3)
    # Nobody listens while the three passes go by; the gate holds both ranks after the last.
    with Hub(address, load_token()) as hub:
        board = Board()
        listen(hub, board, finals(3))
        run.open("end")
        results = run.end()
    passes = epochs(report_of(board), "validate")
    assert [e["pass"] for e in passes] == [0, 1, 2]
    assert all(e["final"] and row(e, "val_f1")["global"] == GLOBAL for e in passes)
    assert results == [GLOBAL_VALUES] * 2


GLOBAL_VALUES = pytest.approx([0.6349] * 3, abs=1e-4)


def test_hub_that_is_killed_in_mid_epoch_and_restarted_gets_everything_again(
    tmp_path: Path, address: str
) -> None:
    run = Run(tmp_path, address, "middle", "end", calls=3)
    with Hub(address, load_token()) as hub:
        listen(hub, Board(), lambda board: any(r.passes for r in board.runs.values()))
    run.open("middle")
    with Hub(address, load_token()) as hub:
        board = Board()
        listen(hub, board, finals(3))
        run.open("end")
        results = run.end()
    passes = epochs(report_of(board), "validate")
    assert [(e["pass"], e["final"]) for e in passes] == [(0, True), (1, True), (2, True)]
    assert all(row(e, "val_f1")["global"] == GLOBAL for e in passes)
    assert results == [GLOBAL_VALUES] * 2


def test_garbage_on_the_port_changes_nothing(tmp_path: Path, address: str) -> None:
    run = Run(tmp_path, address, "end")
    with Hub(address, load_token()) as hub:
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(os.urandom(4096))
        board = Board()
        listen(hub, board, finals(1))
        run.open("end")
        run.end()
    assert row(epochs(report_of(board), "validate")[0], "val_f1")["global"] == GLOBAL


def test_capture_that_fails_on_one_rank_is_counted_and_shown(tmp_path: Path, address: str) -> None:
    run = Run(tmp_path, address, "end", break_capture=True)

    def failures(board: Board) -> bool:
        return any(
            rank.pulse is not None and rank.pulse.failures > 0
            for each in board.runs.values()
            for rank in each.ranks.values()
        )

    with Hub(address, load_token()) as hub:
        board = Board()
        listen(hub, board, failures)
        run.open("end")
        results = run.end()
    assert results == [pytest.approx([0.6349], abs=1e-4)] * 2
    (watched,) = board.runs.values()
    assert watched.ranks[1].pulse is not None
    assert watched.ranks[0].info(board.now).failures == 0
    assert watched.ranks[1].info(board.now).failures > 0


def test_training_without_a_hub_gives_the_same_values_and_ends(
    tmp_path: Path, address: str
) -> None:
    assert Run(tmp_path, address, calls=2).end() == [pytest.approx([0.6349] * 2, abs=1e-4)] * 2
