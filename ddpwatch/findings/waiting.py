"""Which ranks are stuck, and in what? Read from pulses, which go on while the main thread waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddpwatch.board.snapshot import PassKey, RankInfo
from ddpwatch.findings.evidence import Evidence
from ddpwatch.wire.messages import Progress

IN_LOG_AFTER = 5.0
"""Seconds in one call of `self.log` after which it is worth a word, if others are elsewhere."""

BLOCKED_AFTER = 10.0
"""Seconds in one hook after which a rank that waits for others is called blocked."""

TIMES_A_STEP = 5.0
"""A rank is only stuck after several times what a step takes anyway."""

_COLLECTIVE = (
    "distributed_c10d", "all_reduce", "all_gather", "barrier", "broadcast", "c10d_logger",
    "_sync_dist", "gather_all_tensors",
)  # fmt: skip
_SAVING = ("save_checkpoint", "serialization.py", "checkpoint_io")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A rank that waits in a call for others; `others` says in words where those are."""

    rank: int
    hook: str
    key: str
    seconds: float
    others: str
    pass_key: PassKey | None


def waiting_in_log(evidence: Evidence) -> Iterator[Waiting]:
    """Yield ranks stuck in a `self.log` call that another living rank is not in, and is past."""
    infos = {info.rank: info for info in evidence.ranks if info.status in ("live", "silent")}
    for rank, pulse in evidence.pulses.items():
        info = infos.get(rank)
        if info is None or not pulse.key or seconds_in(info) < patience(evidence, IN_LOG_AFTER):
            continue
        elsewhere = [
            other
            for other in infos.values()
            if other.rank != rank and not _is_there(other, pulse.hook, pulse.key, evidence)
            and _is_stuck_or_past(other, info, evidence)
        ]  # fmt: skip
        if elsewhere:
            yield Waiting(
                rank,
                pulse.hook,
                pulse.key,
                seconds_in(info),
                "; ".join(where(other, evidence) for other in elsewhere[:3]),
                pass_key_of(evidence.progress.get(rank)),
            )


def seconds_in(info: RankInfo) -> float:
    """Seconds that a rank's main thread has been in its hook or call."""
    return info.hook_for or 0.0


def patience(evidence: Evidence, least: float) -> float:
    """Seconds to wait before a word: `least`, or several steps where steps are slow."""
    steps = [p.step_time for p in evidence.progress.values() if p.step_time is not None]
    return max(least, TIMES_A_STEP * max(steps, default=0.0))


def is_in_collective(info: RankInfo) -> bool:
    """Whether a rank's stack, sent once it is stuck, ends in a collective call."""
    return any(word in info.stack for word in _COLLECTIVE)


def is_saving(info: RankInfo) -> bool:
    """Whether a rank is writing a checkpoint, which may take its time."""
    return any(word in info.stack for word in _SAVING) or "checkpoint" in info.hook


def where(info: RankInfo, evidence: Evidence) -> str:
    """Say where a rank is, and since when."""
    pulse = evidence.pulses.get(info.rank)
    what = info.hook or "no hook yet"
    if pulse is not None and pulse.key:
        what = f"self.log({pulse.key!r}, …) in {what}"
    since = f" for {seconds_in(info):.0f} s" if info.hook_for is not None else ""
    step = f", step {info.step} of {info.stage}" if info.step is not None else ""
    return f"rank {info.rank} has been in {what}{since}{step}"


def pass_key_of(progress: Progress | None) -> PassKey | None:
    """The pass that a rank was in last; the generation of the run plays no part here."""
    if progress is None:
        return None
    return PassKey(0, progress.stage, progress.pass_, progress.epoch, progress.dataloader)


def _is_there(other: RankInfo, hook: str, key: str, evidence: Evidence) -> bool:
    pulse = evidence.pulses.get(other.rank)
    return pulse is not None and (pulse.hook, pulse.key) == (hook, key)


def _is_stuck_or_past(other: RankInfo, waiting: RankInfo, evidence: Evidence) -> bool:
    """Whether a rank will not come to the call: it waits elsewhere itself, or has gone on."""
    if is_saving(other):
        return False
    if seconds_in(other) >= patience(evidence, IN_LOG_AFTER):
        return True
    mine, its = evidence.progress.get(waiting.rank), evidence.progress.get(other.rank)
    if mine is None or its is None:
        return False
    same_pass = (mine.stage, mine.pass_) == (its.stage, its.pass_)
    return its.global_step > mine.global_step or (same_pass and its.step > mine.step)
