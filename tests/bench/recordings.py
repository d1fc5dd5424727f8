"""How long do a report, the first screen of a replay and a jump take, of a long recording?

A run of 8 ranks with 20 keys and 50,000 steps is made up and recorded first. All figures are of one
process on this machine; `python -m tests.bench.recordings`.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ddpwatch.board.board import Board
from ddpwatch.board.snapshot import View
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.recording.filing import Filing
from ddpwatch.recording.library import open_recordings
from ddpwatch.recording.player import Player
from ddpwatch.report.document import build_report, to_json
from ddpwatch.report.recorded import end_of
from ddpwatch.wire.arrays import from_numpy
from ddpwatch.wire.codec import encode
from ddpwatch.wire.messages import (
    Emitted,
    Event,
    Logged,
    LoggedKey,
    MetricState,
    Progress,
    Pulse,
    State,
)
from ddpwatch.wire.stamped import Item, Tick
from tests.unit.board.builders import FakeRank, multiclass

RANKS, KEYS, STEPS, EPOCHS = 8, 20, 50_000, 50
RATE = 40.0
"""Steps per recorded second."""

REPORT, FIRST, JUMP = 10.0, 1.5, 0.2
"""Seconds that each may take."""


def items() -> Iterator[Item]:
    """The whole run, in time order."""
    ranks = [FakeRank(n, RANKS, "long", f"c{n}") for n in range(RANKS)]
    at = 1_790_000_000.0

    def say(rank: FakeRank, body: Any, *, journal: bool = False) -> Item:
        nonlocal at
        at += 1e-6
        stamped = replace(rank.say(body, at, journal=journal), at=at)
        return replace(stamped, raw=encode(stamped.envelope))

    for rank in ranks:
        yield say(rank, rank.hello().envelope.body, journal=True)
        metrics = [multiclass(f"m{n}", classes=10) for n in range(3)]
        yield say(rank, rank.declare(*metrics).envelope.body, journal=True)
    for epoch in range(EPOCHS):
        for pause, rank, body, journal in _epoch(ranks, epoch):
            at += pause
            yield say(rank, body, journal=journal) if body is not None else Tick(at)
    for rank in ranks:
        yield say(rank, rank.bye().envelope.body, journal=True)
    for _ in range(5):
        at += 1.0
        yield Tick(at)


def _epoch(ranks: list[FakeRank], epoch: int) -> Iterator[tuple[float, FakeRank, Any, bool]]:
    """Seconds to wait, who speaks, what is said (None: a tick), and whether it is journalled."""
    steps, place = STEPS // EPOCHS, {"stage": "train", "pass_": epoch, "epoch": epoch}
    yield from ((0.0, rank, Event(kind="pass_begin", at=0.0, **place), True) for rank in ranks)
    for step in range(steps):
        final = step == steps - 1
        for rank in ranks:
            yield 0.0, rank, _state(rank.rank, step, final, place), final
            yield 0.0, rank, _logged(step, final, place), final
            yield 0.0, rank, Progress(step=step, steps=steps, **place), False
        yield 1 / RATE, ranks[0], Pulse(hook="training_step", since=0.0), False
        if step % int(RATE) == 0:
            yield from ((0.0, rank, Pulse(hook="h", since=0.0), False) for rank in ranks)
            yield 0.0, ranks[0], None, False
    yield from ((0.0, rank, Event(kind="pass_end", at=0.0, **place), True) for rank in ranks)


def _state(rank: int, step: int, final: bool, place: dict[str, Any]) -> State:
    hits = np.full(10, 3 * step + rank, dtype=np.int64)
    tensors = tuple(from_numpy(hits // (n + 1)) for n in range(4))
    first = MetricState(metric=0, updates=step + 1, fresh=step + 1, states=tensors)
    others = (MetricState(metric=n, updates=step + 1, fresh=step + 1, leader=0) for n in (1, 2))
    return State(step=step, declare=1, final=final, metrics=(first, *others), **place)


def _logged(step: int, final: bool, place: dict[str, Any]) -> Logged:
    keys = tuple(
        LoggedKey(
            hook="training_step", name=f"key{n}", on_epoch=True, calls=step + 1, order=n,
            weighted_sum=0.5 * step, weight=step + 1.0, total=0.5 * step, last=0.5, last_step=step,
        )
        for n in range(KEYS)
    )  # fmt: skip
    emitted = tuple(
        Emitted(key=n, name=f"key{n}", kind="epoch", local=0.5, value=0.5)
        for n in range(KEYS if final else 0)
    )
    return Logged(step=step, keys=keys, emitted=emitted, final=final, **place)


def record(folder: Path) -> None:
    """Write the recording."""
    filing, flushed = Filing(folder), 0.0
    for item in items():
        filing.take((item,), 0.0)
        if item.at - flushed >= 0.5:
            flushed = item.at
            filing.flush(0.0)
    filing.close(0.0)


def report(folder: Path) -> float:
    """Seconds of `ddpwatch report`, less the start of Python."""
    begun = time.perf_counter()
    with open_recordings(folder) as recording:
        board = end_of(recording)
        (run,) = board.runs.values()
        to_json(build_report(run, board.now, board.findings(run)))
    return time.perf_counter() - begun


def replay(folder: Path) -> tuple[float, float, list[float]]:
    """Seconds to the first snapshot, to the whole index, and of jumps to anywhere, both ways.

    A jump is the median of three to the same place.
    """
    dice, jumps = random.Random(1), []
    begun = time.perf_counter()
    with open_recordings(folder) as recording:
        player, board = Player(recording), Board("", Diagnosis(looks=False))
        batches = player.batches()
        board.fold(next(batches))
        board.snapshot(View())
        first = time.perf_counter() - begun
        recording.index.grow(lambda: False)
        whole = time.perf_counter() - begun
        player.toggle()
        next(batches)

        def jump(at: float) -> float:
            begun = time.perf_counter()
            player.seek(at)
            board.fold(next(batches))
            board.snapshot(View())
            return time.perf_counter() - begun

        for _ in range(20):
            at = dice.uniform(recording.start, recording.end)
            jumps.append(statistics.median(jump(at) for _ in range(3)))
    return first, whole, jumps


def main() -> int:
    """Print the figures; 1 if one of them is above its bound."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = time.perf_counter()
        record(folder)
        (file,) = folder.rglob("*.mcap")
        print(f"recorded {file.stat().st_size / 1e6:.0f} MB in {time.perf_counter() - begun:.0f} s")
        reported = report(folder)
        first, whole, jumps = replay(folder)
    print(f"report          {reported:6.2f} s   at most {REPORT} s")
    print(f"first screen    {first:6.2f} s   at most {FIRST} s; index whole after {whole:.2f} s")
    middle, worst = statistics.median(jumps), max(jumps)
    print(f"jump            {middle:6.3f} s   at most {JUMP} s; the slowest of 20 {worst:.3f} s")
    met = reported <= REPORT and first <= FIRST and worst <= JUMP
    print("met" if met else "not met")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
