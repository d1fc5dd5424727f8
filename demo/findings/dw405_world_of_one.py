"""Why do two GPUs take as long as one, and both write the same checkpoint?

A launcher started two processes, but the Trainer was told of one device: each of them believes to
be rank 0 of a world of one, and trains alone. `--right` tells the Trainer of both.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import Any

from demo.findings.common import Model, loader, main, trainer

EXPECTED = {"key": "", "numbers": ["1", "2"]}
"""The size of the world, and how many processes the launcher started."""


class Wrong(Model):
    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.weight * batch.mean()


Right = Wrong


def run(*, right: bool = False, **options: Any) -> None:
    """Train a few steps, in each of two processes that something else has started."""
    world: dict[str, Any] = {} if right else {"devices": 1, "strategy": "auto"}
    trainer(**{**world, **options}).fit(Wrong(), loader([1.0] * 8, batch_size=1))


def launch() -> None:
    """Start this script twice, as a launcher does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    for_both = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    script = [sys.executable, "-m", "demo.findings.dw405_world_of_one", *sys.argv[1:]]
    ranks = [
        subprocess.Popen(script, env={**for_both, "RANK": rank, "LOCAL_RANK": rank})  # noqa: S603
        for rank in "01"
    ]
    for rank in ranks:
        rank.wait()


if __name__ == "__main__":
    main(run) if "WORLD_SIZE" in os.environ else launch()
