"""A script as users start it: `python -m tests.ddp.launched ADDRESS STRATEGY DEVICES`."""

from __future__ import annotations

import sys
from typing import Any

from ddpwatch_lightning import DDPWatch
from tests.ddp.training import Model, loader, trainer


def main(address: str, strategy: str, devices: str) -> None:
    """Train on all ranks; each of them runs this, where the launcher says so."""
    options: dict[str, Any] = {"strategy": strategy, "devices": int(devices)}
    trainer(DDPWatch(address, every=1), **options).fit(Model(), loader(16), loader(16))


if __name__ == "__main__":
    main(*sys.argv[1:])
