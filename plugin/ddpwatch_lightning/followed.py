"""Which metrics does a rank follow now, and under which version of its declaration?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from torch import nn

from ddpwatch.wire.messages import Declare
from ddpwatch_lightning.compute_groups import arrangement, leaders
from ddpwatch_lightning.describe import describe
from ddpwatch_lightning.holder import Holder
from ddpwatch_lightning.holders import Holders, holders_of
from ddpwatch_lightning.labels import Labels
from ddpwatch_lightning.samplers import Described
from ddpwatch_lightning.tracked import Found, Selection, Tracked, find


class Followed:
    """The metrics found last, and ddpwatch's `own`.

    `version` is that of the newest declaration, -1 before the first.
    """

    def __init__(self, selection: Selection, labels: Labels, own: Sequence[Tracked] = ()) -> None:
        self.version = -1
        self._selection = selection
        self._labels = labels
        self._own = tuple(own)
        self._indexed_since = -1
        self._loaders: list[Described] = []
        self._loggers: tuple[str, ...] = ()
        self._found = Found((), ())
        self._holders = Holders((), -1)
        self._by_key: dict[int, Holder] = {}
        self._arrangement = arrangement(())

    def refresh(
        self,
        module: nn.Module,
        loaders: Sequence[Described] = (),
        loggers: tuple[str, ...] = (),
    ) -> partial[Declare] | None:
        """Look for metrics again; return what makes a declaration, or None if nothing changed.

        `loaders` and the class names of the `loggers` are declared with them.
        """
        before = self._found
        found = find(module, self._selection)
        self._found = Found(found.metrics + self._own, found.collections)
        others_before = self._loaders, self._loggers
        self._loaders, self._loggers = list(loaders), loggers
        others = self._loaders, self._loggers
        is_first = self.version < 0
        has_other_metrics = is_first or not self._found.looks_like(before)
        if not has_other_metrics and others == others_before:
            return None
        self.version += 1
        if has_other_metrics:
            # Copies from before count no more. With the same metrics, they keep their indices.
            self._indexed_since = self.version
            self._regroup()
        return partial(
            declaration,
            self.version,
            self._found.metrics,
            module,
            self._labels,
            loaders=self._loaders,
            loggers=loggers,
        )

    def holders(self) -> Holders:
        """Return who holds the states now; compute groups may form with any update."""
        collections = self._found.collections
        if collections and arrangement(collections) != self._arrangement:
            self._regroup()
        return self._holders

    def holder(self, metric: object) -> Holder | None:
        """Return the holder that reads the states of `metric` itself, if there is one."""
        return self._by_key.get(id(metric))

    def _regroup(self) -> None:
        collections = self._found.collections
        self._arrangement = arrangement(collections)
        self._holders = holders_of(self._found.metrics, leaders(collections), self._indexed_since)
        self._by_key = {holder.key: holder for holder in self._holders}


def declaration(
    version: int,
    metrics: tuple[Tracked, ...],
    module: object,
    labels: Labels,
    *,
    loaders: Sequence[Described] = (),
    loggers: tuple[str, ...] = (),
) -> Declare:
    """Return the declaration of `metrics` and the rest; for the publisher's thread."""
    return Declare(
        version=version,
        metrics=tuple(describe(tracked, module, labels) for tracked in metrics),
        loaders=tuple(loader.complete() for loader in loaders),
        loggers=loggers,
    )
