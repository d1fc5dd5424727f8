"""Who is this rank, on which machine, with which versions?"""

from __future__ import annotations

import os
import platform
import socket
import sys
from collections.abc import Mapping
from typing import Any

import torch
import torchmetrics

import ddpwatch
from ddpwatch.wire.messages import Hello
from ddpwatch_lightning.base import Trainer

_NAMESPACES = ("lightning", "pytorch_lightning")
_WORLD_SIZES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")


def hello(trainer: Trainer, name: str, started: float, environ: Mapping[str, str]) -> Hello:
    """Return the greeting; the process group, where there is one, must exist already."""
    strategy = trainer.strategy
    return Hello(
        name=name[:512],
        world_size=trainer.world_size,
        launched_world_size=launched_world_size(environ),
        node=socket.gethostname()[:512],
        node_rank=trainer.node_rank,
        local_rank=trainer.local_rank,
        pid=os.getpid(),
        started=started,
        device=str(strategy.root_device),
        strategy=type(strategy).__name__,
        versions=_versions(trainer),
        entry=str(trainer.state.fn.value) if trainer.state.fn else "",
        max_epochs=_max_epochs(trainer),
    )


def launched_world_size(environ: Mapping[str, str]) -> int | None:
    """Return how many ranks the launcher announced, or None where it said nothing usable."""
    for variable in _WORLD_SIZES:
        if environ.get(variable, "").isdecimal():
            return int(environ[variable])
    return None


def _max_epochs(trainer: Trainer) -> int | None:
    # -1 stands for no end; before a fit there may be no number yet.
    epochs: Any = trainer.max_epochs
    return epochs if isinstance(epochs, int) and epochs >= 0 else None


def _versions(trainer: Trainer) -> dict[str, str]:
    versions = {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "torchmetrics": str(torchmetrics.__version__),
        "ddpwatch": ddpwatch.__version__,
    }
    roots = [cls.__module__.partition(".")[0] for cls in type(trainer).__mro__]
    for namespace in _NAMESPACES:
        if namespace in roots:
            versions[namespace] = str(sys.modules[namespace].__version__)
    return versions
