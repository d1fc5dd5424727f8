"""Where do a metric's accumulated states lie, and which of them are copied?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torchmetrics import Metric

from ddpwatch.wire.messages import Array, ListSize
from ddpwatch_lightning.packing import size_of


class ListMeter:
    """The length and bytes of a list state, without walking again over what was counted before."""

    __slots__ = ("_length", "_nbytes")

    def __init__(self) -> None:
        self._length = self._nbytes = 0

    def measure(self, value: Any) -> ListSize:
        """Return the size of a list of tensors, or of the tensor that a list was joined into."""
        if isinstance(value, torch.Tensor):
            return size_of(value)
        if len(value) < self._length:
            self._length = self._nbytes = 0
        for part in value[self._length :]:
            self._nbytes += part.numel() * part.element_size()
        self._length = len(value)
        return ListSize(self._length, self._nbytes)


class Holder:
    """A metric that holds states, for itself and for the members of its compute group.

    `owner` is the index of the tracked metric under which the states travel; `members` are the
    indices of all that share them, the owner among them. `values` are the metric's attributes,
    where its states and counts are found without the lookups of `Module`; `names` are the states
    that are copied.
    """

    __slots__ = (
        "_meters",
        "_order",
        "key",
        "members",
        "names",
        "nbytes",
        "owner",
        "path",
        "values",
    )

    def __init__(self, metric: Metric, path: str, owner: int, *, room: int) -> None:
        """Prepare; states beyond `room` bytes are measured instead of copied."""
        self.key = id(metric)
        self.path = path
        self.owner = owner
        self.members = [owner]
        self.values: dict[str, Any] = vars(metric)
        self.names: list[str] = []
        self.nbytes = 0
        self._order = tuple(metric._defaults)  # noqa: SLF001
        self._meters: dict[str, ListMeter] = {}
        for name, default in metric._defaults.items():  # noqa: SLF001
            self._sort_in(name, default, room)

    @property
    def has_meters(self) -> bool:
        """Whether there are states that are measured instead of copied."""
        return bool(self._meters)

    @property
    def updates(self) -> int:
        """How many updates the states have seen since their last reset."""
        count: int = self.values["_update_count"]
        return count

    def local(self) -> dict[str, Any]:
        """Return where this rank's own states are, also while they are synchronised."""
        values = self.values
        cached: dict[str, Any] | None = values["_cache"] if values["_is_synced"] else None
        return cached or values

    def measure(self, local: dict[str, Any]) -> list[ListSize]:
        """Return the sizes of the states that are not copied."""
        return [meter.measure(local[name]) for name, meter in self._meters.items()]

    def arrange(
        self, arrays: Iterator[Array | ListSize], sizes: Sequence[ListSize]
    ) -> tuple[Array | ListSize, ...]:
        """Take this holder's arrays and return them with its sizes, in the order of its states."""
        by_name: dict[str, Array | ListSize] = dict(zip(self._meters, sizes, strict=True))
        for name in self.names:
            by_name[name] = next(arrays)
        return tuple(by_name[name] for name in self._order)

    def _sort_in(self, name: str, default: Any, room: int) -> None:
        if isinstance(default, torch.Tensor):
            nbytes = default.numel() * default.element_size()
            if self.nbytes + nbytes <= room:
                self.nbytes += nbytes
                self.names.append(name)
                return
        self._meters[name] = ListMeter()
