"""Look at the dashboard without a training: `python -m tests.tui.preview [ranks]`."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace

import numpy as np

from ddpwatch.board.snapshot import RowKey, View
from ddpwatch.tui.app import WatchApp
from tests.tui import diagnosed, snapshots


class Growing:
    """A made-up run that gets better with every snapshot asked for."""

    def __init__(self, world):
        self._world = world
        self._wanted = threading.Event()
        self._over = threading.Event()
        self._view = View()
        self._tick = 0

    def start(self, deliver, failed):
        self._thread = threading.Thread(target=self._run, args=(deliver,), daemon=True)
        self._thread.start()

    def request(self, view):
        self._view = view
        self._wanted.set()

    def stop(self):
        self._over.set()
        self._wanted.set()
        self._thread.join()

    def _run(self, deliver):
        while self._wanted.wait() and not self._over.is_set():
            self._wanted.clear()
            self._tick += 1
            deliver(self._snapshot())

    def _snapshot(self):
        rng = np.random.default_rng(self._tick)
        step = self._tick % 90
        values = np.clip(0.9 * (1 - np.exp(-step / 20)) + rng.normal(0, 0.02, self._world), 0, 1)
        rows = [
            row
            for name in ("f1", "precision", "recall")
            for row in snapshots.with_labels(
                f"val.{name}", name, values, float(values.mean()) - 0.01, samples=step
            )
        ]
        key = self._view.row or RowKey("val.f1", "f1")
        table = snapshots.table(rows, step=step, steps=90, samples=(step * 8,) * self._world)
        series = snapshots.series(self._world, step + 1, over=self._view.over, row=key)
        make = diagnosed.run if self._world == 4 else snapshots.run
        run = make(table, series=series)
        return replace(snapshots.snapshot(run), at=snapshots.NOW + self._tick / 5)


if __name__ == "__main__":
    WatchApp(Growing(int(sys.argv[1]) if len(sys.argv) > 1 else 4)).run()
