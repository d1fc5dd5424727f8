"""What does a source yield? Stamped messages, and ticks so that silence can be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ddpwatch.wire.messages import Envelope


@dataclass(frozen=True, slots=True)
class Stamped:
    """A message and when it was received (seconds of wall time that never run backwards).

    `gap` says that messages of this rank were left out on purpose before or after this one: the
    numbers of its frames are no sign of a loss.
    """

    at: float
    envelope: Envelope
    raw: bytes = b""
    gap: bool = False


@dataclass(frozen=True, slots=True)
class Rejected:
    """A frame that was turned away, counted under `kind`; it changes no value."""

    at: float
    kind: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A second of receive time has passed."""

    at: float


@dataclass(frozen=True, slots=True)
class Told:
    """A finding of one run as somebody upstream has proven it, or takes it back.

    `raw` is what `ddpwatch.board.findings_told` makes of it: the wire does not look inside.
    """

    at: float
    run: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Restart:
    """Forget everything: what follows begins anew, at a time that may be an earlier one."""

    at: float


Item: TypeAlias = Stamped | Rejected | Tick | Told | Restart


class Source(Protocol):
    """The live hub, an attached hub or a recording: one path behind all of them.

    `batches` yields whatever arrived, at least every 100 ms (an empty batch is fine), and ends when
    the source does; it is iterated by the one thread that owns the source's socket or file.
    """

    def batches(self) -> Iterator[Sequence[Item]]:
        """Yield items in receive order."""
        ...
