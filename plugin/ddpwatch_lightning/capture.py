"""What do a rank's metrics hold at this moment? A copy, taken without computing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from ddpwatch.wire.messages import Array, ListSize, MetricState
from ddpwatch_lightning.freshness import Freshness
from ddpwatch_lightning.holder import Holder
from ddpwatch_lightning.holders import Holders

OnFailure: TypeAlias = Callable[[str, Exception], None]


class Captured:
    """What some holders held: their update counts, and their states to be unpacked elsewhere."""

    __slots__ = ("_offsets", "_packed", "_sizes", "_states", "holders", "updates")

    def __init__(self, holders: Holders, freshness: Freshness, *, exactly: bool = True) -> None:
        """Copy; raises whatever a state raises that cannot be read or copied."""
        self.holders = holders
        self.updates = holders.updates()
        self._offsets = freshness.observe(holders.keys, self.updates)
        self._packed, self._sizes = holders.pack(exactly=exactly)
        self._states: list[tuple[Array | ListSize, ...]] | None = None

    def fresh(self, position: int) -> int:
        """Return the updates of the holder at `position` since its pass and loader began."""
        return self.updates[position] - self._offsets[position]

    def states(self, position: int) -> tuple[Array | ListSize, ...]:
        """Return the states of the holder at `position`; not for the training thread."""
        if self._states is None:
            arrays = iter(self._packed.unpack())
            sizes = iter(self._sizes)
            self._states = [holder.arrange(arrays, next(sizes, ())) for holder in self.holders]
        return self._states[position]


def capture(
    holders: Holders, freshness: Freshness, on_failure: OnFailure, *, exactly: bool = True
) -> list[Captured]:
    """Copy what `holders` hold: at once, else one by one without those that fail."""
    try:
        return [Captured(holders, freshness, exactly=exactly)]
    except Exception:  # noqa: BLE001 - states are of the user's making; which one it was, comes below
        return list(_one_by_one(holders, freshness, on_failure))


def merged(captures: Iterable[Captured]) -> tuple[MetricState, ...]:
    """Return each metric's state from the newest capture in which it had most updates.

    Members of a compute group refer to the metric that carries the tensors, where both come from
    one capture. Not for the training thread.
    """
    chosen: dict[int, tuple[Captured, int, Holder]] = {}
    for captured in captures:
        for position, holder in enumerate(captured.holders):
            for member in holder.members:
                best = chosen.get(member)
                if best is None or captured.updates[position] >= best[0].updates[best[1]]:
                    chosen[member] = (captured, position, holder)
    return tuple(_state(member, chosen) for member in sorted(chosen))


def _state(member: int, chosen: dict[int, tuple[Captured, int, Holder]]) -> MetricState:
    captured, position, holder = chosen[member]
    owner = holder.owner
    follows = owner != member and chosen[owner][0] is captured
    return MetricState(
        metric=member,
        updates=captured.updates[position],
        fresh=captured.fresh(position),
        leader=owner if follows else -1,
        states=() if follows else captured.states(position),
    )


def _one_by_one(
    holders: Holders, freshness: Freshness, on_failure: OnFailure
) -> Iterable[Captured]:
    for holder in holders:
        try:
            yield Captured(Holders([holder], holders.version), freshness)
        except Exception as error:  # noqa: BLE001, PERF203 - as above
            on_failure(f"the states of {holder.path}", error)
