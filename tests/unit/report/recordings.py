"""Recordings made up by hand, for tests of what reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import Self

from ddpwatch.board.findings_told import Verdict, encode
from ddpwatch.board.snapshot import Finding, PassKey
from ddpwatch.findings.registry import BY_CODE
from ddpwatch.wire.messages import Emitted, Event, Logged, LoggedKey
from ddpwatch.wire.stamped import Item, Told
from tests.unit.board.builders import FakeRank, counts, multiclass

SHARDS = (([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2, 0], [0, 0, 1, 2, 0]))
KEY = PassKey(0, "validate", 0, 0, 0)
HOSTILE = "a|b`c%\r\n::error::x\x1b[31m\u202e<b>&@you#1,:\x00" + "y" * 10_000


class FakeRecording:
    is_told = True

    """What `ddpwatch.recording` will give, from a list of items."""

    def __init__(
        self,
        items: Sequence[Item],
        final: Sequence[Item] | None = None,
        *,
        is_cut_short: bool = False,
        notes: tuple[str, ...] = (),
    ) -> None:
        self._items, self._final = list(items), list(items if final is None else final)
        self.is_cut_short, self.notes = is_cut_short, notes
        self.start, self.end = 0.0, 100.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def items(self) -> Iterator[Sequence[Item]]:
        # An odd number, so that no test depends on where a batch ends.
        for begin in range(0, len(self._items), 7):
            yield self._items[begin : begin + 7]

    def final(self) -> Iterator[Sequence[Item]]:
        yield self._final


def finding(code: str, message: str = "0.5 is not 0.6", **more: Any) -> Finding:
    fault = BY_CODE[code].fault if code in BY_CODE else BY_CODE["DW101"].fault
    known = {"severity": fault.severity, "fix": "self.log('f1', self.f1)", "pass_key": KEY, **more}
    return Finding(
        code=code, title=fault.title, message=message, why=fault.why, key=known.pop("key", "f1"),
        **known,
    )  # fmt: skip


def told(*findings: Finding, run: str = "r") -> list[Told]:
    return [Told(50.0, run, encode(Verdict(each))) for each in findings]


def logged_value(name: str, value: float, **more: Any) -> Logged:
    key = LoggedKey(
        hook="validation_step", name=name, on_epoch=True, calls=1, weighted_sum=2 * value,
        weight=2.0, total=value, last=value,
    )  # fmt: skip
    emitted = Emitted(key=0, name=name, kind="epoch", local=value, value=value)
    known = {"stage": "validate", "pass_": 0, "epoch": 0, "step": 4, "final": True, **more}
    return Logged(keys=(key,), emitted=(emitted,), **known)


def event(rank: FakeRank, kind: str, stage: str, pass_: int, at: float) -> Item:
    body = Event(kind=kind, at=at, stage=stage, pass_=pass_, epoch=pass_)  # type: ignore[arg-type]
    return rank.say(body, at)


def prefix(rank: int, steps: int) -> tuple[Any, ...]:
    """What a rank has counted after some samples of its shard, one for each step."""
    preds, target = SHARDS[rank]
    return counts(preds[:steps], target[:steps])


def run_of_two(
    run: str = "r",
    path: str = "val.f1",
    epochs: int = 1,
    stage: str = "validate",
    *,
    name: str = "toy",
    final: bool = True,
    per_step: bool = True,
    logged: float | None = None,
) -> list[Item]:
    """Two ranks that see one sample a step, five steps an epoch, a second for each."""
    ranks = [FakeRank(rank, 2, run) for rank in range(2)]
    items: list[Item] = [rank.hello(name=name) for rank in ranks]
    items += [rank.declare(multiclass(path)) for rank in ranks]
    for epoch in range(epochs):
        begin = 10.0 * epoch
        items += [event(rank, "pass_begin", stage, epoch, begin) for rank in ranks]
        for step in range(5) if per_step else ():
            items += [
                rank.state(step, prefix(rank.rank, step + 1), at=begin + 1 + step, stage=stage,
                           pass_=epoch, epoch=epoch, samples=step + 1)
                for rank in ranks
            ]  # fmt: skip
        if final:
            items += [
                rank.state(4, prefix(rank.rank, 5), at=begin + 7, final=True, stage=stage,
                           pass_=epoch, epoch=epoch, samples=5)
                for rank in ranks
            ]  # fmt: skip
        if logged is not None:
            said = logged_value(path, logged, stage=stage, pass_=epoch, epoch=epoch)
            items += [rank.say(said, begin + 7) for rank in ranks]
        items += [event(rank, "pass_end", stage, epoch, begin + 8) for rank in ranks]
    return [*items, *(rank.bye(10.0 * epochs) for rank in ranks)]
