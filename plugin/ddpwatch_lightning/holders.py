"""How are all of a rank's states read at once, in the little time that training lends?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from torchmetrics import Metric

from ddpwatch.wire.messages import ListSize
from ddpwatch_lightning.holder import Holder
from ddpwatch_lightning.packing import ChangedError, Layout, Packed
from ddpwatch_lightning.tracked import Tracked

LARGEST = 32 * 1024 * 1024
"""Bytes of states that a rank copies at once; of what is beyond it, only sizes travel."""


class Holders:
    """Some holders, read together; all lookups that can be done beforehand are.

    `version` is that of the first declaration in which their members have their indices.
    """

    __slots__ = ("_all", "_has_meters", "_layout", "_places", "_values", "keys", "version")

    def __init__(self, holders: Sequence[Holder], version: int) -> None:
        self.version = version
        self._all = tuple(holders)
        self._values = [holder.values for holder in holders]
        self._places = [(holder.values, name) for holder in holders for name in holder.names]
        self._has_meters = any(holder.has_meters for holder in holders)
        self._layout: Layout | None = None
        self.keys = tuple(holder.key for holder in holders)

    def __iter__(self) -> Iterator[Holder]:
        return iter(self._all)

    def updates(self) -> list[int]:
        """Return how many updates each holder's states have seen since their last reset."""
        return [values["_update_count"] for values in self._values]

    def pack(self, *, exactly: bool) -> tuple[Packed, list[list[ListSize]]]:
        """Copy this rank's own tensors; also return the sizes of the other states, by holder.

        There are no sizes at all where every state is a tensor to be copied. Tensors are expected
        to be of the dtypes and shapes that they were of last time, which their common dtype and
        number confirm; with `exactly`, each of them is looked at again.
        """
        tensors, sizes = self._collect()
        if self._layout is not None and not exactly:
            try:
                return self._layout.pack(tensors), sizes
            except (ChangedError, RuntimeError):
                pass
        self._layout = Layout(tensors)
        return self._layout.pack(tensors), sizes

    def _collect(self) -> tuple[list[torch.Tensor], list[list[ListSize]]]:
        if self._has_meters or True in [values["_is_synced"] for values in self._values]:
            return self._collect_each()
        return [values[name] for values, name in self._places], []

    def _collect_each(self) -> tuple[list[torch.Tensor], list[list[ListSize]]]:
        tensors: list[torch.Tensor] = []
        sizes = []
        for holder in self._all:
            local = holder.local()
            tensors += [local[name] for name in holder.names]
            sizes.append(holder.measure(local))
        return tensors, sizes


def holders_of(metrics: Sequence[Tracked], leaders: Mapping[int, Metric], version: int) -> Holders:
    """Return who holds the states of `metrics`: one for each compute group and each lone metric.

    Args:
        metrics: what the declaration of this `version` lists, in its order.
        leaders: maps the id of a metric to the one whose states it shares.
        version: of the first such declaration.
    """
    holders: dict[int, Holder] = {}
    room = LARGEST
    for index, tracked in enumerate(metrics):
        leader = leaders.get(id(tracked.metric), tracked.metric)
        holder = holders.get(id(leader))
        if holder is not None:
            holder.members.append(index)
            continue
        holder = holders[id(leader)] = Holder(leader, tracked.path, index, room=room)
        room -= holder.nbytes
    return Holders(list(holders.values()), version)
