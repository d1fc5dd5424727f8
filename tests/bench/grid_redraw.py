"""How much longer does the table take to redraw with 2,000 ranks than with 8?

`python -m tests.bench.grid_redraw` prints both times and their ratio, and fails above `LIMIT`.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

from ddpwatch.tui.app import WatchApp
from ddpwatch.tui.widgets.grid import MetricGrid
from tests.tui import snapshots
from tests.tui.fake_feed import FakeFeed

FEW, MANY = 8, 2_000
LIMIT = 2.0
REDRAWS, SIZE = 40, (120, 36)


def table(world: int, shift: float):
    """Thirty rows of values that are all new with every `shift`."""
    rows = [
        row
        for name in ("f1", "precision", "recall")
        for row in snapshots.with_labels(
            f"val.{name}", name, [0.8 + shift + (rank % 7) / 100 for rank in range(world)], 0.82
        )
    ]
    return snapshots.table(rows, samples=(100,) * world)


async def redraw_seconds(world: int) -> float:
    """Median time from a new table to all lines in sight drawn, with every class open."""
    tables = [table(world, shift / 1_000) for shift in range(10)]
    app = WatchApp(FakeFeed(snapshots.snapshot(snapshots.run(tables[0]))))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("end", "up", "e")
        grid = app.screen.query_one(MetricGrid)
        seconds = []
        for turn in range(REDRAWS):
            start = time.perf_counter()
            grid.show(tables[turn % len(tables)])
            for y in range(grid.size.height):
                grid.render_line(y)
            seconds.append(time.perf_counter() - start)
            await pilot.pause()
    return statistics.median(seconds)


def main() -> int:
    """Print the comparison; 0 if it holds."""
    few, many = (asyncio.run(redraw_seconds(world)) for world in (FEW, MANY))
    ratio = many / few
    print(f"redraw with {FEW} ranks    {few * 1e3:7.2f} ms")
    print(f"redraw with {MANY:,} ranks {many * 1e3:7.2f} ms")
    print(f"ratio {ratio:.2f}, at most {LIMIT}")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
