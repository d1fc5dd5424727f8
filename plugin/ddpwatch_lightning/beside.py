"""What is declared beside the metrics of a module?"""

from __future__ import annotations

from typing import NamedTuple

from ddpwatch.wire.messages import Monitor
from ddpwatch_lightning.samplers import Described


class Beside(NamedTuple):
    """Loaders, monitors, the class names of loggers, and notes of what cannot be followed."""

    loaders: tuple[Described, ...] = ()
    monitors: tuple[Monitor, ...] = ()
    loggers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


NOTHING = Beside()
