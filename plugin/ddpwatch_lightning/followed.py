"""Which metrics does a rank follow now, and under which version of its declaration?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from torch import nn

from ddpwatch.wire.messages import Declare
from ddpwatch_lightning.beside import NOTHING, Beside
from ddpwatch_lightning.compute_groups import arrangement, leaders
from ddpwatch_lightning.describe import describe
from ddpwatch_lightning.holder import Holder
from ddpwatch_lightning.holders import Holders, holders_of
from ddpwatch_lightning.labels import Labels
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
        self._found = Found((), ())
        self._beside = NOTHING
        self._holders = Holders((), -1)
        self._by_key: dict[int, Holder] = {}
        self._arrangement = arrangement(())

    @property
    def metrics(self) -> tuple[Tracked, ...]:
        """The metrics, as the newest declaration lists them."""
        return self._found.metrics

    def refresh(self, module: nn.Module, beside: Beside = NOTHING) -> partial[Declare] | None:
        """Look for metrics again; return what makes a declaration, or None if nothing changed.

        What is `beside` the metrics is declared with them.
        """
        before, beside_before = self._found, self._beside
        found = find(module, self._selection)
        self._found = Found(found.metrics + self._own, found.collections)
        self._beside = beside
        has_other_metrics = self.version < 0 or not self._found.looks_like(before)
        if not has_other_metrics and beside == beside_before:
            return None
        self.version += 1
        if has_other_metrics:
            # Copies from before count no more. With the same metrics, they keep their indices.
            self._indexed_since = self.version
            self._regroup()
        return partial(
            declaration, self.version, self._found.metrics, module, self._labels, beside=beside
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
    beside: Beside = NOTHING,
) -> Declare:
    """Return the declaration of `metrics` and the rest; for the publisher's thread."""
    return Declare(
        version=version,
        metrics=tuple(describe(tracked, module, labels) for tracked in metrics),
        loaders=tuple(loader.complete() for loader in beside.loaders),
        monitors=beside.monitors,
        loggers=beside.loggers,
        notes=beside.notes,
    )
