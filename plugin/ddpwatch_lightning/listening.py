"""To what of a rank does ddpwatch listen while it trains? Its loggers, and what it prints."""

from __future__ import annotations

from typing import Any

from ddpwatch_lightning.circumstances import Circumstances
from ddpwatch_lightning.line import Line
from ddpwatch_lightning.loggers import Loggers
from ddpwatch_lightning.output import Printed


class Listening:
    """Everything of somebody else's that is wrapped during one call, and given back after it."""

    def __init__(self, line: Line, circumstances: Circumstances) -> None:
        self._line = line
        self._loggers = Loggers(line.remark, circumstances, line.failures.note)
        self._printed = Printed(line.remark, line.note_unheard, circumstances)

    def start(self, trainer: Any, *, output: bool) -> None:
        """Begin; whatever cannot be listened to is noted, and the rest goes on."""
        try:
            self._loggers.start(trainer.loggers, rank=trainer.global_rank)
        except Exception as error:  # noqa: BLE001 - loggers are of any class
            self._line.failures.note("listening to loggers", error)
        try:
            if output:
                self._printed.start()
        except Exception as error:  # noqa: BLE001 - so are streams
            self._line.failures.note("listening to output", error)

    def stop(self) -> None:
        """Give everything back."""
        try:
            self._loggers.stop()
        finally:
            self._printed.stop()
