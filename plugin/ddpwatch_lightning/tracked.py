"""Which metrics does a module hold, and where?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from torch import nn
from torchmetrics import Metric, MetricCollection


@dataclass(frozen=True, slots=True, eq=False)
class Tracked:
    """A metric object and where it was found; `registered` says that it is a submodule.

    `shadow` says that it is ddpwatch's own; its `labels` are then known.
    """

    path: str
    metric: Metric
    registered: bool
    shadow: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """Glob patterns on a metric's path; an empty `include` takes all."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Say whether a metric at `path` is followed."""
        if any(fnmatchcase(path, pattern) for pattern in self.exclude):
            return False
        return not self.include or any(fnmatchcase(path, pattern) for pattern in self.include)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A module's metrics in the order of its tree, and the collections that may group them."""

    metrics: tuple[Tracked, ...]
    collections: tuple[MetricCollection, ...]

    def looks_like(self, other: Found) -> bool:
        """Say whether the declarations of both would be alike."""
        return _appearance(self.metrics) == _appearance(other.metrics)


def find(module: nn.Module, selection: Selection) -> Found:
    """Return what `module` holds: in its tree, or in a dict, list or tuple that is its attribute.

    Only metrics that hold states count, so wrappers are seen through. Each object counts once.
    """
    metrics: dict[int, tuple[str, Metric, bool]] = {}
    collections: dict[int, MetricCollection] = {}
    for path, part, registered in _parts(module):
        if isinstance(part, MetricCollection):
            collections[id(part)] = part
        elif isinstance(part, Metric) and holds_states(part):
            metrics.setdefault(id(part), (path, part, registered))
    tracked = tuple(Tracked(*each) for each in metrics.values() if selection.takes(each[0]))
    return Found(tracked, tuple(collections.values()))


def holds_states(metric: Metric) -> bool:
    """Say whether a metric accumulates anything itself; a wrapper may pretend to."""
    own = vars(metric)
    return bool(metric._defaults) and all(name in own for name in metric._defaults)  # noqa: SLF001


def _parts(module: nn.Module) -> Iterator[tuple[str, nn.Module, bool]]:
    for path, part in module.named_modules():
        yield path, part, True
    for name, value in vars(module).items():
        for path, part in _contents(name, value):
            for inner, child in part.named_modules():
                yield f"{path}.{inner}" if inner else path, child, False


def _contents(name: str, value: Any) -> Iterator[tuple[str, nn.Module]]:
    if isinstance(value, dict):
        pairs: Any = value.items()
    elif isinstance(value, list | tuple):
        pairs = enumerate(value)
    else:
        return
    for key, part in pairs:
        if isinstance(part, Metric | MetricCollection):
            yield f"{name}.{key}", part


def _appearance(metrics: Sequence[Tracked]) -> list[tuple[object, ...]]:
    return [(t.path, id(t.metric), t.registered, t.metric.device) for t in metrics]
