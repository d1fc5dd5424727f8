"""What is wrong with the watching itself, or with a rank, in a line each?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ddpwatch.board.snapshot import RankInfo

BLOCKED_AFTER = 10.0
"""Seconds in one hook after which a rank is called blocked."""


def problems_of(ranks: Iterable[RankInfo], run: str) -> tuple[str, ...]:
    """Return one sentence for each trouble, the ones that stop a run first."""
    infos = list(ranks)
    lines = [line for info in infos for line in _grave(info, run)]
    lines += [line for info in infos for line in _slight(info)]
    return tuple(lines)


def _grave(info: RankInfo, run: str) -> Iterator[str]:
    who = f"rank {info.rank}"
    where = f", last in {info.hook}" if info.hook else ""
    if info.exception:
        yield f"{who} ended with {info.exception.splitlines()[0]}{where}"
    elif info.status == "silent" and info.silent_for is not None:
        yield f"{who} silent for {info.silent_for:.0f} s{where}"
    elif info.status == "live" and (info.hook_for or 0.0) > BLOCKED_AFTER and info.stack:
        yield f"{who} has been in {info.hook} for {info.hook_for:.0f} s"
    if info.conflict:
        yield f"a second living process claims to be {who} of {run}; it is left out"


def _slight(info: RankInfo) -> Iterator[str]:
    who = f"rank {info.rank}"
    if info.failures:
        yield f"{who}: {info.failures} captures failed; its log says why"
    if info.journal_lost:
        yield f"{who}: {info.journal_lost} journal entries were given up, it was full"
    if info.dropped:
        yield f"{who}: {info.dropped} messages dropped on the rank"
    if info.missing:
        yield f"{who}: {info.missing} messages lost on the way"
