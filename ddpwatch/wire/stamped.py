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
    `times` is above 1 where one message stands for several that differ in nothing that counts.
    """

    at: float
    envelope: Envelope
    raw: bytes = b""
    times: int = 1
    gap: bool = False


@dataclass(frozen=True, slots=True)
class Rejected:
    """A frame that was turned away, or `count` of them, under `kind`; it changes no value."""

    at: float
    kind: str
    count: int = 1


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


@dataclass(frozen=True, slots=True)
class Lost:
    """Whoever the source gets its items from does not answer; `Restart` says that it does again."""

    at: float


Place: TypeAlias = tuple[int, str, int, int, int]
"""A pass over one dataloader: generation, stage, pass, epoch, dataloader."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One claimant of a rank was last heard at this time; what it said is left out.

    Only where a whole past is told in few items. `seq` is its newest frame's, `missing` how many
    never came, `lag` and `least_delay` in seconds; `rival_at` is when a second claimant was heard,
    `has_left` whether its last word counts, `strides` the passes of which only every n-th step is
    told.
    """

    at: float
    run: str
    rank: int
    claim: str
    seq: int | None = None
    missing: int = 0
    lag: float = 0.0
    least_delay: float | None = None
    rival_at: float | None = None
    has_left: bool = False
    strides: tuple[tuple[Place, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Begun:
    """A pass is known from here on, or is the newest; what said so is left out."""

    at: float
    run: str
    place: Place
    is_newest: bool = False


Item: TypeAlias = Stamped | Rejected | Tick | Told | Restart | Lost | Heard | Begun


class Source(Protocol):
    """The live hub, an attached hub or a recording: one path behind all of them.

    `batches` yields whatever arrived, at least every 100 ms (an empty batch is fine), and ends when
    the source does; it is iterated by the one thread that owns the source's socket or file.
    """

    def batches(self) -> Iterator[Sequence[Item]]:
        """Yield items in receive order."""
        ...
