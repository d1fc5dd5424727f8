"""Under which names does Lightning give out what a rank logged, with which values?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddpwatch.board.snapshot import LoggedId
from ddpwatch.wire.messages import Emitted, Logged, LoggedKey


@dataclass(frozen=True, slots=True)
class Entry:
    """One emitted name on one rank.

    `local` is what it held before any sync and `value` what its Lightning ended with; None where
    that is not known.
    """

    id: LoggedId
    rank: int
    key: LoggedKey
    local: float | None
    value: float | None
    alias: str


def entries_of(rank: int, logged: Logged) -> Iterator[Entry]:
    """Yield every name of every key: as the rank says it, else as Lightning will make it."""
    told: dict[int, list[Emitted]] = {}
    for emitted in logged.emitted:
        told.setdefault(emitted.key, []).append(emitted)
    for index, key in enumerate(logged.keys):
        for emitted in told.get(index) or _expected(index, key):
            yield Entry(
                id=LoggedId(key.hook, emitted.name, emitted.kind, key.dataloader),
                rank=rank,
                key=key,
                local=own_value(key, emitted.kind) if emitted.local is None else emitted.local,
                value=emitted.value,
                alias=full_name(key) if key.on_step and key.on_epoch else "",
            )


def full_name(key: LoggedKey, fork: str = "") -> str:
    """The name with its `_step` or `_epoch`, then the dataloader's suffix, in Lightning's order."""
    suffix = f"/dataloader_idx_{key.dataloader}" if key.dataloader >= 0 else ""
    return f"{key.name}{fork}{suffix}"


def own_value(key: LoggedKey, kind: str) -> float | None:
    """What this rank's calls so far come to without any other rank; None for a metric object."""
    if key.metric or not key.calls:
        return None
    if kind == "step":
        return key.last
    if key.reduce_fx == "mean":
        return key.weighted_sum / key.weight if key.weight else None
    return {"sum": key.total, "max": key.most, "min": key.least}.get(key.reduce_fx)


def _expected(index: int, key: LoggedKey) -> Iterator[Emitted]:
    forked = key.on_step and key.on_epoch
    if key.on_step:
        yield Emitted(key=index, name=full_name(key, "_step" if forked else ""), kind="step")
    if key.on_epoch:
        yield Emitted(key=index, name=full_name(key, "_epoch" if forked else ""), kind="epoch")
