"""How is the picture in the README made? The demo trains, the dashboard watches, and is drawn.

Run by `make picture`; the result is docs/images/metrics.svg.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from ddpwatch import demonstration, serving
from ddpwatch.feed import SourceFeed
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.tui.app import WatchApp

EPOCH = 14
SIZE = (120, 34)
PICTURE = Path(__file__).parent / "images" / "metrics.svg"


async def draw() -> None:
    """Train on four ranks and draw the screen in the midst of it."""
    with serving.make_hub("127.0.0.1:0") as hub, tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "train.log")
        with demonstration.training(["--ranks", "4"], hub.address, log):
            app = WatchApp(SourceFeed(hub, serving.make_intake(hub.address, Diagnosis())))
            async with app.run_test(size=SIZE) as pilot:
                while not has_come_to(app, EPOCH):
                    await pilot.pause(0.1)
                PICTURE.write_text(app.export_screenshot(title="ddpwatch serve"))


def has_come_to(app: WatchApp, epoch: int) -> bool:
    """Whether the table on the screen is complete and of this epoch."""
    run = app.shown.run
    return run is not None and run.table is not None and (
        run.table.key.epoch >= epoch and run.table.final
    )  # fmt: skip


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    PICTURE.parent.mkdir(exist_ok=True)
    asyncio.run(draw())
