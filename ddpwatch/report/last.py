"""Which passes stand for a run? The last of each stage and dataloader that measured anything."""

from __future__ import annotations

from collections.abc import Iterable

from ddpwatch.report.document import EpochEntry


def last_of_each(epochs: Iterable[EpochEntry]) -> list[EpochEntry]:
    """Return them in the order in which their stages began.

    The sanity check counts only where nothing else has come.
    """
    last = {(e.stage, e.dataloader): e for e in epochs if e.metrics or e.logged}
    real = [epoch for epoch in last.values() if epoch.stage != "sanity_check"]
    return real or list(last.values())
