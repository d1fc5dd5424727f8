"""Which metrics of a collection share their states, and whose are they?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchmetrics import Metric, MetricCollection

from ddpwatch_lightning.tracked import holds_states

# Of a collection, only private attributes are read: its items() and [] copy states into members.


def leaders(collections: Sequence[MetricCollection]) -> dict[int, Metric]:
    """Map the id of every metric in a compute group to the one metric that the group updates.

    Before its first update, and where it is only ever called forward, a collection has no groups.
    The members' own states may be stale, also in number of updates, until someone asks for them.
    """
    found: dict[int, Metric] = {}
    for collection in collections:
        if collection._enable_compute_groups and collection._groups_checked:  # noqa: SLF001
            for names in collection._groups.values():  # noqa: SLF001
                members = [_unwrapped(collection._modules[name]) for name in names]  # noqa: SLF001
                found |= {id(member): members[0] for member in members}
    return found


def arrangement(collections: Sequence[MetricCollection]) -> list[tuple[int, bool]]:
    """Return what differs whenever the groups do; a collection makes a new dict for new groups."""
    return [(id(each._groups), each._groups_checked) for each in collections]  # noqa: SLF001


def _unwrapped(metric: Any) -> Metric:
    """Return the metric inside a wrapper that lends it its name but holds and counts nothing."""
    while not holds_states(metric) and isinstance(metric._modules.get("metric"), Metric):  # noqa: SLF001
        metric = metric._modules["metric"]  # noqa: SLF001
    unwrapped: Metric = metric
    return unwrapped
