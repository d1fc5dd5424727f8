"""What may ranks say, in which order? Made-up runs with restarts, rivals, repeats and losses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from ddpwatch.board.findings_told import Verdict, encode
from ddpwatch.board.snapshot import Finding, PassKey, Severity
from ddpwatch.wire.messages import (
    Event,
    Logged,
    LoggedKey,
    LoggerCall,
    Output,
    Progress,
    Pulse,
)
from ddpwatch.wire.stamped import Item, Rejected, Stamped, Tick, Told
from tests.unit.board.builders import FakeRank, counts, multiclass

STAGES = ("train", "validate")
SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error")


class Pace(NamedTuple):
    """How far steps are apart, and how likely a pass ends, as against 60 for a step."""

    stride: int = 1
    ends: float = 6.0


USUAL = Pace()


class _Talker(FakeRank):
    """A rank that goes through passes at its own pace."""

    def __init__(self, rank: int, world: int, run: str, claim: str) -> None:
        super().__init__(rank, world, run, claim)
        self.run_and_rank = (int(run.removeprefix("run")), rank)
        self.epoch = self.step = 0
        self.stage = "train"
        self.has_begun = False
        self.kept: list[Stamped] = []

    def say_something(self, dice: random.Random, at: float, pace: Pace) -> list[Stamped]:
        said = self._begin(at) if not self.has_begun else self._go_on(dice, at, pace)
        self.kept += [each for each in said if each.envelope.journal]
        # Lost on the way, but for the journal; and the journal is said again now and then.
        said = [each for each in said if each.envelope.journal or dice.random() > 0.1]
        if dice.random() < 0.01:
            said += [Stamped(at, each.envelope, each.raw) for each in self.kept]
        return said

    def _begin(self, at: float) -> list[Stamped]:
        self.has_begun = True
        return [self.hello(at, max_epochs=9), self.declare(multiclass("f1"), at=at)]

    def _go_on(self, dice: random.Random, at: float, pace: Pace) -> list[Stamped]:
        kind = dice.choices(("step", "pass", "pulse", "word", "call"), (60, pace.ends, 12, 6, 6))[0]
        place = {"stage": self.stage, "pass_": self.epoch, "epoch": self.epoch}
        if kind == "pulse":
            return [self.say(Pulse(hook="on_x", since=dice.random()), at, journal=False)]
        if kind == "word":
            line = Output(stream="stdout", text=f"line {dice.randrange(4)}", at=at + dice.random())
            return [self.say(line, at, journal=False)]
        if kind == "call":
            call = LoggerCall(
                logger="tb", method="add", name=f"tag {dice.randrange(3)}", value=dice.random()
            )
            return [self.say(call, at, journal=False)]
        if kind == "step":
            self.step += pace.stride
            progress = Progress(**place, step=self.step, steps=900, global_step=self.step)
            return [
                self._state(dice, at, final=False),
                self.say(progress, at, journal=False),
                self._logged(dice, at, final=False),
            ]
        ended = [
            self._state(dice, at, final=True),
            self._logged(dice, at, final=True),
            self.say(Event(kind="pass_end", at=at, **place), at),
        ]
        self.stage = STAGES[(STAGES.index(self.stage) + 1) % 2]
        self.epoch += self.stage == "train"
        self.step = -1
        place = {"stage": self.stage, "pass_": self.epoch, "epoch": self.epoch}
        return [*ended, self.say(Event(kind="pass_begin", at=at, **place), at)]

    def _state(self, dice: random.Random, at: float, *, final: bool) -> Stamped:
        preds = [dice.randrange(3) for _ in range(6)]
        return self.state(
            self.step,
            counts(preds, [0, 1, 2, 0, 1, 2]),
            at=at,
            final=final,
            stage=self.stage,
            pass_=self.epoch,
            epoch=self.epoch,
            dataloader=dice.randrange(2) if self.stage == "validate" else 0,
            fresh=dice.choice((0, 1, 1, 1)),
            samples=6,
        )

    def _logged(self, dice: random.Random, at: float, *, final: bool) -> Stamped:
        value = dice.random()
        key = LoggedKey(
            hook="validation_step",
            name="f1",
            on_epoch=True,
            calls=self.step + 1,
            weighted_sum=value,
            weight=1.0,
            last=value,
        )
        body = Logged(
            stage=self.stage,
            pass_=self.epoch,
            epoch=self.epoch,
            step=self.step,
            final=final,
            keys=(key,),
            declare=1,
        )
        return self.say(body, at, journal=final)


def chatter(seed: int, length: int, *, pace: Pace = USUAL, runs: int = 2) -> list[Item]:
    """A source's items, over one or two runs of two ranks each, in receive order."""
    return list(_chatter(random.Random(seed), length, pace, runs))


def _chatter(dice: random.Random, length: int, pace: Pace, runs: int) -> Iterator[Item]:
    at = 100.0
    ranks = {(run, rank): _Talker(rank, 2, f"run{run}", f"c{run}{rank}")
             for run in range(runs) for rank in range(2)}  # fmt: skip
    rivals: list[_Talker] = []
    for number in range(length):
        at += dice.random() * 0.2
        fate = dice.random()
        place = dice.choice(list(ranks))
        speaker = ranks[place]
        if fate < 0.004:
            at += dice.choice((2.0, 8.0, 11.0, 30.0))
            yield Tick(at)
            _inherit(ranks, rivals)
        elif fate < 0.007:
            claim = f"{speaker.claim}+{number}"
            rivals.append(_Talker(speaker.rank, 2, speaker.run, claim))
        elif fate < 0.016:
            yield speaker.bye(at, dice.choice(("finished", "exception")))
            if dice.random() < 0.7:
                ranks[place] = _Talker(speaker.rank, 2, speaker.run, f"{speaker.claim}+{number}")
        elif fate < 0.05:
            yield Tick(at)
        elif fate < 0.06:
            yield Rejected(at, dice.choice(("malformed", "unknown")))
        elif fate < 0.08:
            yield _told(dice, at, speaker.run)
        elif rivals and fate < 0.2:
            yield from dice.choice(rivals).say_something(dice, at, pace)
        else:
            yield from speaker.say_something(dice, at, pace)


def _inherit(ranks: dict[tuple[int, int], _Talker], rivals: list[_Talker]) -> None:
    """Let the newest rival turn out to be the successor."""
    if rivals:
        heir = rivals.pop()
        ranks[heir.run_and_rank] = heir


def _told(dice: random.Random, at: float, run: str) -> Told:
    finding = Finding(
        code=f"DW10{dice.randrange(5)}",
        severity=dice.choice(SEVERITIES),
        title="t",
        message=f"{at}",
        why="w",
        fix="f",
        key=dice.choice("ab"),
        pass_key=PassKey(0, "train", 0, 0, 0),
        first_at=float(dice.randrange(3)),
    )
    return Told(at, run, encode(Verdict(finding, stands=dice.random() > 0.3)))
