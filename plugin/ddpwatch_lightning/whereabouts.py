"""On which key or metric is the training thread busy, while it may have to wait for other ranks?

Told to the publisher, whose pulses go on when the training thread is stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from torchmetrics import Metric

from ddpwatch.link.outbox import Where
from ddpwatch_lightning.emitted import key_of
from ddpwatch_lightning.metric_tap import MetricTap

syncs = MetricTap("sync")
"""The one wrapper of `Metric.sync` of this process."""


class Placed(Protocol):
    """What of a publisher is needed here."""

    @property
    def where(self) -> Where:
        """Where the training thread is."""

    def here(self, hook: str, key: str = "") -> Where:
        """Say where the training thread is; returns where it was."""

    def back(self, where: Where) -> None:
        """Say that it is where it was."""


def naming(items: Iterable[tuple[str, Any]], publisher: Placed) -> Iterator[tuple[str, Any]]:
    """Yield Lightning's items, and name each one that will be reduced before it is."""
    for pair in items:
        place = _reduced(pair[1])
        if place is not None:
            publisher.here(*place)
        yield pair


def _reduced(item: Any) -> tuple[str, str] | None:
    """Return hook and name of an item whose epoch value needs the other ranks; never raises."""
    try:
        meta = item.meta
        if not meta.on_epoch or item._computed is not None:  # noqa: SLF001
            return None
        if item.is_tensor and (not meta.sync.should or meta.sync.rank_zero_only):
            return None
        hook, name, _ = key_of(meta)
    except Exception:  # noqa: BLE001 - inside Lightning's own loop, and of no consequence
        return None
    return hook, name


class SyncListener:
    """Names the tracked metric that is about to be reduced over the ranks."""

    def __init__(self, module: Any, publisher: Placed, paths: Callable[[], Mapping[int, str]]):
        """Prepare; `paths` returns the present paths of the metrics by their identity."""
        self._module = module
        self._publisher = publisher
        self._paths = paths

    def __call__(self, metric: Metric) -> Callable[[], object] | None:
        """Say so, and return what says that it is over."""
        try:
            path = self._paths().get(id(metric))
            if path is None:
                return None
            publisher = self._publisher
            before = publisher.where
            publisher.here(getattr(self._module, "_current_fx_name", None) or before[0], path)
        except Exception:  # noqa: BLE001 - inside the user's call of compute
            return None
        return lambda: publisher.back(before)
