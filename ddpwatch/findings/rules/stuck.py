"""DW401: is a rank silent or blocked, or did it end with an exception?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding, RankInfo
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.waiting import (
    BLOCKED_AFTER,
    is_in_collective,
    is_saving,
    pass_key_of,
    patience,
    seconds_in,
    waiting_in_log,
    where,
)
from ddpwatch.findings.wording import place

FAULT = Fault(
    code="DW401",
    severity="error",
    title="a rank is silent or blocked, or ended with an exception",
    why=(
        "Ranks wait for each other in every backward pass and in every synced key. One that "
        "died, or that waits in another call than the rest, stops them all, until the "
        "backend's timeout (30 minutes with NCCL)."
    ),
)
SILENT_AFTER = 10.0
"""Seconds without a pulse after which a rank is taken for dead, if no other one failed."""


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield what ended ranks, what stopped them, and what is going to stop them."""
    finding = _ended(evidence) or _silent(evidence) or _blocked(evidence)
    if finding is not None:
        yield finding
    yield from _unequal_training(evidence)


def _ended(evidence: Evidence) -> Finding | None:
    failed = [info for info in evidence.ranks if info.exception]
    if not failed:
        return None
    order = {ended.rank: ended.at for ended in reversed(evidence.ended)}
    failed.sort(key=lambda info: (order.get(info.rank, float("inf")), info.rank))
    first, rest = failed[0], failed[1:]
    told = f"{_name(first)} ended with {_line(first.exception)}{_at(first)}"
    told += "".join(f"; then rank {info.rank} with {_line(info.exception)}" for info in rest[:3])
    quiet = [info for info in evidence.ranks if info.status == "silent"]
    told += "".join(f"; rank {info.rank} is silent" for info in quiet[:3])
    return _finding(evidence, told, [first, *rest, *quiet], f"# rank {first.rank}: its log")


def _silent(evidence: Evidence) -> Finding | None:
    silent = [
        info
        for info in evidence.ranks
        if info.status == "silent" and (info.silent_for or 0.0) > SILENT_AFTER
    ]
    if not silent:
        return None
    told = "; ".join(
        f"{_name(info)} silent for {info.silent_for:.0f} s{_at(info)}" for info in silent[:3]
    )
    alive = [info for info in evidence.ranks if info.status == "live" and info.hook]
    told += "".join(f"; {where(info, evidence)}" for info in alive[:3])
    return _finding(evidence, told, silent, "# killed? see `dmesg` (out of memory) and its log")


def _blocked(evidence: Evidence) -> Finding | None:
    """A rank that waits in a collective while another one does not come to it."""
    live = [info for info in evidence.ranks if info.status == "live"]
    bound = patience(evidence, BLOCKED_AFTER)
    waiting = [info for info in live if seconds_in(info) > bound and is_in_collective(info)]
    if not waiting or len(live) < 2 or any(map(is_saving, live)):
        return None
    if any(True for _ in waiting_in_log(evidence)):
        return None  # DW106 says it, with the key
    places = {(info.hook, _key(info, evidence)) for info in live}
    if len(places) < 2 and len(waiting) == len(live):
        return None
    others = [info for info in live if info is not waiting[0]]
    told = "; ".join([where(waiting[0], evidence), *(where(info, evidence) for info in others[:3])])
    return _finding(
        evidence, told, waiting, f"# rank {waiting[0].rank} waits here:\n{_tail(waiting[0].stack)}"
    )


def _unequal_training(evidence: Evidence) -> Iterator[Finding]:
    """Ranks with other numbers of training batches: the last ones wait in the backward pass."""
    for loader in evidence.loaders():
        if loader.key.stage != "train" or len(loader.states) < 2:
            continue
        steps = {rank: s.steps for rank, s in loader.states.items() if s.steps is not None}
        if len(set(steps.values())) > 1:
            counts = ", ".join(f"{count} on rank {rank}" for rank, count in sorted(steps.items()))
            yield FAULT.finding(
                f"{place(loader.key)}: the ranks have different numbers of batches ({counts}); "
                "after the shortest, the others wait in the backward pass",
                f"Trainer(limit_train_batches={min(steps.values())})  "
                "# or a sampler that gives every rank equally many",
                key="batches",
                ranks=steps,
                pass_key=loader.key,
            )


def _finding(evidence: Evidence, told: str, those: list[RankInfo], fix: str) -> Finding:
    first = those[0]
    stack = f"\n{_tail(first.stack)}" if first.stack and first.stack not in fix else ""
    return FAULT.finding(
        told,
        fix if _tail(first.stack) in fix else fix + stack,
        ranks=[info.rank for info in those],
        pass_key=pass_key_of(evidence.progress.get(first.rank)),
    )


def _name(info: RankInfo) -> str:
    return f"rank {info.rank}" + (f" ({info.node}, pid {info.pid})" if info.node else "")


def _at(info: RankInfo) -> str:
    return f" after batch {info.step} of {info.stage} epoch {info.epoch}" if info.stage else ""


def _line(exception: str) -> str:
    return exception.strip().splitlines()[0] if exception.strip() else "an exception"


def _key(info: RankInfo, evidence: Evidence) -> str:
    pulse = evidence.pulses.get(info.rank)
    return pulse.key if pulse is not None else ""


def _tail(stack: str, lines: int = 6) -> str:
    return "\n".join(stack.rstrip().splitlines()[-lines:])


RULE = Rule(FAULT, find)
