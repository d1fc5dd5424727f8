"""How does a test watch a real training? With a hub and a board here, and ranks forked warm."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from ddpwatch.board.board import Board
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.link.hub import Hub
from ddpwatch.report.document import build_report, to_json
from ddpwatch.wire.token import load_token
from tests.ddp import ranks


def watch(
    fn: Callable[..., Any],
    world_size: int,
    *args: Any,
    env: dict[str, str] | None = None,
    distributed: bool = True,
    may_fail: bool = False,
    timeout: float = 60.0,
) -> tuple[dict[str, Any], list[ranks.Ended]]:
    """Run `fn(*args)` on every rank under a hub; return the report and how each rank ended.

    The report is that of a viewer which was there from the beginning and left when all ranks had.
    """
    board, ended = follow(
        fn, world_size, *args, env=env, distributed=distributed, may_fail=may_fail, timeout=timeout
    )
    (run,) = board.runs.values()
    report = build_report(run, board.now, board.findings(run))
    return msgspec.json.decode(to_json(report)), ended


def follow(
    fn: Callable[..., Any],
    world_size: int,
    *args: Any,
    env: dict[str, str] | None = None,
    distributed: bool = True,
    may_fail: bool = False,
    timeout: float = 60.0,
) -> tuple[Board, list[ranks.Ended]]:
    """Run `fn(*args)` on every rank under a hub; return the board, and how each rank ended."""
    with Hub("tcp://127.0.0.1:*", load_token()) as hub:
        board = Board(hub.address, diagnosis := Diagnosis())
        started = ranks.start(
            fn, world_size, *args, env={"DDPWATCH": hub.address, **(env or {})},
            distributed=distributed,
        )  # fmt: skip
        ended: list[ranks.Ended] = []

        def wait() -> None:
            ended.extend(ranks.join(started, timeout))
            hub.stop()

        waiting = threading.Thread(target=wait)
        waiting.start()
        for batch in hub.batches():
            board.fold(batch)
            for run in board.runs.values():
                board.findings(run)
        waiting.join()
    for run in board.runs.values():
        diagnosis.conclude(run, board.now)
    if not may_fail:
        broken = [f"rank {e.rank} exit {e.exitcode}: {e.error}" for e in ended if e.exitcode != 0]
        assert not broken, "\n".join(broken)
    return board, ended


def epochs(report: dict[str, Any], stage: str) -> list[dict[str, Any]]:
    """The passes of one stage."""
    return [epoch for epoch in report["epochs"] if epoch["stage"] == stage]


def row(
    epoch: dict[str, Any], name: str, score: str | None = None, label: str | None = None
) -> dict[str, Any]:
    """The one row of a metric: its own averaged quantity unless a score or label is named."""
    found = [
        m
        for m in epoch["metrics"]
        if m["name"] == name
        and m["label"] == label
        and (m["own"] if score is None else m["score"] == score)
    ]
    assert len(found) == 1, f"{name} {score} {label}: {[m['name'] for m in epoch['metrics']]}"
    return found[0]


def batches(values: Sequence[Any], size: int) -> Iterable[Sequence[Any]]:
    """Split a sequence."""
    return [values[start : start + size] for start in range(0, len(values), size)]
