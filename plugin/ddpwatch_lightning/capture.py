"""What do a rank's metrics hold at this moment? A copy, taken without computing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import torch

from ddpwatch.wire.messages import Array, ListSize, MetricState
from ddpwatch_lightning.freshness import Freshness
from ddpwatch_lightning.holder import Holder
from ddpwatch_lightning.packing import Packed

OnFailure: TypeAlias = Callable[[str, Exception], None]


class Captured:
    """What some holders held: their update counts, and their states to be unpacked elsewhere."""

    __slots__ = ("_packed", "_sizes", "_states", "fresh", "holders", "updates")

    def __init__(self, holders: Sequence[Holder], freshness: Freshness) -> None:
        """Copy; raises whatever a state raises that cannot be read or copied."""
        tensors: list[torch.Tensor] = []
        self.holders = holders
        self._sizes = [holder.collect(tensors) for holder in holders]
        self._packed = Packed(tensors)
        self._states: list[tuple[Array | ListSize, ...]] | None = None
        self.updates = [holder.updates for holder in holders]
        self.fresh = [
            freshness.observe(holder.key, count)
            for holder, count in zip(holders, self.updates, strict=True)
        ]

    def states(self, position: int) -> tuple[Array | ListSize, ...]:
        """Return the states of the holder at `position`; not for the training thread."""
        if self._states is None:
            arrays = iter(self._packed.unpack())
            self._states = [
                holder.arrange(arrays, sizes)
                for holder, sizes in zip(self.holders, self._sizes, strict=True)
            ]
        return self._states[position]


def capture(
    holders: Sequence[Holder], freshness: Freshness, on_failure: OnFailure
) -> list[Captured]:
    """Copy what `holders` hold: at once, else one by one without those that fail."""
    try:
        return [Captured(holders, freshness)]
    except Exception:  # noqa: BLE001 - states are of the user's making; which one it was, comes below
        return list(_one_by_one(holders, freshness, on_failure))


def merged(captures: Iterable[Captured]) -> tuple[MetricState, ...]:
    """Return each metric's state from the newest capture in which it had most updates.

    Members of a compute group refer to the metric that carries the tensors, where both come from
    one capture. Not for the training thread.
    """
    chosen: dict[int, tuple[Captured, int]] = {}
    for captured in captures:
        for position, holder in enumerate(captured.holders):
            for member in holder.members:
                best = chosen.get(member)
                if best is None or captured.updates[position] >= best[0].updates[best[1]]:
                    chosen[member] = (captured, position)
    return tuple(_state(member, chosen) for member in sorted(chosen))


def _state(member: int, chosen: dict[int, tuple[Captured, int]]) -> MetricState:
    captured, position = chosen[member]
    owner = captured.holders[position].owner
    follows = owner != member and chosen[owner] == (captured, position)
    return MetricState(
        metric=member,
        updates=captured.updates[position],
        fresh=captured.fresh[position],
        leader=owner if follows else -1,
        states=() if follows else captured.states(position),
    )


def _one_by_one(
    holders: Sequence[Holder], freshness: Freshness, on_failure: OnFailure
) -> Iterable[Captured]:
    for holder in holders:
        try:
            yield Captured([holder], freshness)
        except Exception as error:  # noqa: BLE001, PERF203 - as above
            on_failure(f"the states of {holder.path}", error)
