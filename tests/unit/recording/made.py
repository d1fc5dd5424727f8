"""A made-up run of several ranks, recorded: what a hub would have yielded, and files of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ddpwatch.board.board import Board
from ddpwatch.board.findings_told import Verdict
from ddpwatch.board.findings_told import encode as encode_verdict
from ddpwatch.board.snapshot import Finding, Snapshot, View
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.recording.filing import Filing
from ddpwatch.wire.codec import encode
from ddpwatch.wire.messages import (
    Emitted,
    Event,
    Logged,
    LoggedKey,
    LoggerCall,
    Output,
    Progress,
    Pulse,
)
from ddpwatch.wire.stamped import Item, Stamped, Tick, Told
from tests.unit.board.builders import FakeRank, counts, multiclass

START = 1_790_000_000.25
FINDING = Finding("DW101", "warning", "title", "val_f1 differs", "why", "fix", key="val_f1")


def framed(stamped: Stamped) -> Stamped:
    return replace(stamped, raw=encode(stamped.envelope))


def run(
    *,
    ranks: int = 2,
    epochs: int = 3,
    steps: int = 12,
    run: str = "r",
    dies: int | None = None,
    start: float = START,
    pause: float = 0.1,
) -> list[Item]:
    """Every item of a run; rank `dies` says nothing more after the first epoch's training."""
    made = _Run(
        ranks=ranks, epochs=epochs, steps=steps, run=run, dies=dies, start=start, pause=pause
    )
    return list(made.items())


class _Run:
    def __init__(
        self,
        *,
        ranks: int,
        epochs: int,
        steps: int,
        run: str,
        dies: int | None,
        start: float,
        pause: float,
    ) -> None:
        self.ranks = [FakeRank(n, ranks, run, f"{run}-{n}") for n in range(ranks)]
        self.epochs, self.steps, self.dies, self.pause, self.run = epochs, steps, dies, pause, run
        self.at = self.ticked = self.pulsed = start
        self.dice = random.Random(f"{run}{ranks}{epochs}{steps}")

    def items(self) -> Iterator[Item]:
        for rank in self.ranks:
            yield self._say(rank.hello(self.at, max_epochs=self.epochs))
            yield self._say(rank.declare(multiclass("val_f1"), at=self.at))
        for epoch in range(self.epochs):
            yield from self._pass("train", epoch)
            yield from self._pass("validate", epoch)
            if epoch == 0:
                yield Told(self.at, self.run, encode_verdict(Verdict(FINDING)))
        for rank in self._living():
            yield self._say(rank.bye(self.at))
        self.ranks = []
        for _ in range(5):
            self.at += 1.0
            yield from self._time()

    def _living(self) -> list[FakeRank]:
        return [rank for rank in self.ranks if rank is not None]

    def _pass(self, stage: str, epoch: int) -> Iterator[Item]:
        place: dict[str, Any] = {"stage": stage, "pass_": epoch, "epoch": epoch}
        for rank in self._living():
            yield self._say(rank.say(Event(kind="pass_begin", at=self.at, **place), self.at))
        held = {rank.rank: ([], []) for rank in self.ranks}
        for step in range(self.steps):
            self.at += self.pause
            for rank in self._living():
                preds, target = held[rank.rank]
                preds.append(self.dice.randrange(3))
                target.append(self.dice.randrange(3))
                yield self._say(rank.state(step, counts(preds, target), at=self.at, **place))
                progress = Progress(step=step, steps=self.steps, step_time=0.1, **place)
                yield self._say(rank.say(progress, self.at, journal=False))
                yield self._say(rank.say(_logged(step, place), self.at, journal=False))
            yield from self._time()
        if stage == "train" and epoch == 0 and self.dies is not None:
            self.ranks[self.dies] = None  # type: ignore[call-overload]
            self.ranks = self._living()
        for rank in self._living():
            line = Output(stream="stdout", text=f"epoch {epoch}", at=self.at, **place)
            yield self._say(rank.say(line, self.at, journal=False))
            call = LoggerCall(logger="CSVLogger", method="log_metrics", name="f1", **place)
            yield self._say(rank.say(call, self.at, journal=False))
            final = counts(*held[rank.rank])
            yield self._say(rank.state(self.steps - 1, final, at=self.at, final=True, **place))
            yield self._say(rank.say(_logged(self.steps - 1, place, final=True), self.at))
            yield self._say(rank.say(Event(kind="pass_end", at=self.at, **place), self.at))

    def _time(self) -> Iterator[Item]:
        if self.at - self.pulsed >= 1.0:
            self.pulsed = self.at
            for rank in self._living():
                yield self._say(
                    rank.say(Pulse(hook="training_step", since=0.1), self.at, journal=False)
                )
        if self.at - self.ticked >= 1.0:
            self.ticked = self.at
            yield Tick(self.at)

    def _say(self, stamped: Stamped) -> Stamped:
        # As a receive clock would: no two messages at one time.
        self.at += 1e-5
        return framed(replace(stamped, at=self.at))


def _logged(step: int, place: dict[str, Any], *, final: bool = False) -> Logged:
    key = LoggedKey(hook=f"{place['stage']}_step", name="f1", calls=step + 1, on_epoch=True)
    emitted = (Emitted(key=0, name="f1", kind="epoch", local=0.5, value=0.5),) if final else ()
    return Logged(step=step, keys=(key,), emitted=emitted, final=final, **place)


def filed(
    items: Sequence[Item], folder: Path, *, finish: bool = True, **options: Any
) -> list[Path]:
    """Record items as a hub does, a flush every half second of their own time; return the files."""
    filing = Filing(folder, **options)
    flushed = items[0].at
    for item in items:
        filing.take((item,), item.at)
        if item.at - flushed >= 0.5:
            flushed = item.at
            filing.flush(flushed)
    if finish:
        filing.close(items[-1].at)
    else:
        filing.flush(items[-1].at)
    return sorted(folder.rglob("*.mcap"))


def folded(batches: Iterator[Sequence[Item]] | Sequence[Sequence[Item]]) -> Board:
    board = Board("recorded", Diagnosis(looks=False))
    for batch in batches:
        board.fold(batch)
    return board


def seen(board: Board) -> list[Any]:
    """What screens show of every stage and pass, without what counts frames, to be compared."""
    keys = [None, *(key for each in board.runs.values() for key in each.pass_keys())]
    return [_plain(plain(board.snapshot(View(key=key, over="epochs")))) for key in keys]


def plain(snapshot: Snapshot) -> Snapshot:
    """Without how many frames came, and how late the newest was."""
    link = replace(snapshot.link, received=0)
    if snapshot.run is None:
        return replace(snapshot, link=link)
    ranks = tuple(replace(info, missing=0) for info in snapshot.run.ranks)
    return replace(snapshot, link=link, run=replace(snapshot.run, ranks=ranks, lag=None))


def _plain(value: Any) -> Any:
    """Arrays and not-a-number as what is equal to itself."""
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, np.ndarray):
        return [_plain(each) for each in value.tolist()]
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value
