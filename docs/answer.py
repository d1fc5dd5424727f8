"""How are the pictures of docs/answer.md made? Its demo trains to the end; each screen is drawn.

Run by `make picture`; the results are docs/images/answer-*.svg.
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

SIZE = (124, 48)
IMAGES = Path(__file__).parent / "images"
PICTURES = {
    "metrics": ("1", "slash", *"best", "enter", "e", *["down"] * 7, "e", "home"),
    "logged": ("2",),
    "logger": ("c",),
    "findings": ("4",),
    "output": ("5",),
}
"""Each picture, and the keys that lead to it from the one before."""


async def draw() -> None:
    """Train on two ranks, wait for their end, and draw the screens."""
    with serving.make_hub("127.0.0.1:0") as hub, tempfile.TemporaryDirectory() as folder:
        arguments = ["--ranks", "2", "--epochs", "10"]
        log = Path(folder, "train.log")
        with demonstration.training(arguments, hub.address, log, "multilabel"):
            app = WatchApp(SourceFeed(hub, serving.make_intake(hub.address, Diagnosis())))
            async with app.run_test(size=SIZE) as pilot:
                while not has_ended(app):
                    await pilot.pause(0.1)
                for name, keys in PICTURES.items():
                    await pilot.press(*keys)
                    await pilot.pause(0.5)
                    picture = app.export_screenshot(title="ddpwatch demo multilabel")
                    Path(IMAGES, f"answer-{name}.svg").write_text(picture)


def has_ended(app: WatchApp) -> bool:
    """Whether every rank has said goodbye."""
    run = app.shown.run
    return run is not None and run.ended


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    IMAGES.mkdir(exist_ok=True)
    asyncio.run(draw())
