"""What was logged in one pass on this rank, and how does that become a message?

The training thread writes down calls and hands them over in chunks; the publisher's thread alone
adds them up. Neither waits for the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ddpwatch.wire.messages import Emitted, Logged, MonitorState
from ddpwatch_lightning.cuda import Moment
from ddpwatch_lightning.emitted import Given, emitted
from ddpwatch_lightning.log_calls import Key, about
from ddpwatch_lightning.monitors import Held, states
from ddpwatch_lightning.passes import Pass, Position
from ddpwatch_lightning.scalars import moment, passed
from ddpwatch_lightning.tally import Entry, Item, Restart, fold

MOST_KEYS = 4096
MOST_PENDING = 256
MOST_CHUNKS = 16
MOST_COUNTED = 1 << 16
"""Keys beyond the first `MOST_KEYS` that are told apart, to be counted."""


class Chunk(NamedTuple):
    """Calls, and the moment of the GPU at which their values are there."""

    items: list[Item]
    reached: Moment | None


class Ledger:
    """The calls of one pass; `at` is None until the pass has begun, which may be after a call."""

    def __init__(self, later: Callable[[Callable[[], object]], bool]) -> None:
        """Prepare; `later` lets something run on the publisher's thread, False says: never."""
        self.at: Pass | None = None
        self.entries: dict[Key, Entry] = {}
        self.pending: list[Item] = []
        self._later = later
        self._more: set[Key] = set()
        self._chunks: deque[Chunk] = deque()
        self._is_asked_for = False

    @property
    def is_blank(self) -> bool:
        """Whether there was no call yet."""
        return not self.entries

    def enter(self, key: Key, value: Any, options: Mapping[str, Any]) -> Entry | None:
        """Return a new entry for a key, None where there are too many; for the training thread."""
        if len(self.entries) >= MOST_KEYS:
            if len(self._more) < MOST_COUNTED:
                self._more.add(key)
            return None
        entry = Entry(about(key, value, options, len(self.entries)))
        self.entries[key] = entry
        return entry

    def start_over(self, hook: str) -> None:
        """Lightning forgets the tensors of a hook, as its new epoch begins; training thread."""
        self.pending += [
            Restart(entry)
            for (fx, _, loader), entry in self.entries.items()
            if fx == hook and loader < 0 and entry.is_tensor
        ]

    def hand_over(self) -> None:
        """Give the calls so far to the publisher's thread; for the training thread."""
        if self.pending:
            self._chunks.append(Chunk(self.pending, moment()))
            self.pending = []
        # A hub that listens has them added up for its messages; where there is none, somebody must.
        if len(self._chunks) >= MOST_CHUNKS and not self._is_asked_for:
            self._is_asked_for = self._later(self._add_up_as_asked)
            if not self._is_asked_for:
                self._chunks.clear()

    def message(self, position: Position, declare: int) -> Logged:
        """Return what was logged so far; for the publisher's thread."""
        self._add_up()
        # Calls that are yet to be handed over are the last ones, and so are their new entries.
        counted = [entry for entry in tuple(self.entries.values()) if entry.calls]
        return self._message(position, declare, counted)

    def final(
        self,
        position: Position,
        declare: int,
        givens: Sequence[Given],
        held: Sequence[Held],
        reached: Moment | None,
        *,
        is_over: bool,
    ) -> Logged:
        """Return all that was logged, with what Lightning made of it; publisher's thread."""
        self._add_up()
        with passed(reached):
            names = tuple(emitted(givens, self.entries))
            monitors = states(held)
        entries = tuple(self.entries.values())
        return self._message(position, declare, entries, names, monitors, is_over=is_over)

    def _message(
        self,
        position: Position,
        declare: int,
        entries: Sequence[Entry],
        names: tuple[Emitted, ...] = (),
        monitors: tuple[MonitorState, ...] = (),
        *,
        is_over: bool = False,
    ) -> Logged:
        return Logged(
            stage=position.stage,
            pass_=position.pass_,
            epoch=position.epoch,
            step=position.step,
            global_step=position.global_step,
            declare=declare,
            final=is_over,
            keys=tuple(entry.key() for entry in entries),
            emitted=names,
            monitors=monitors,
            more_keys=len(self._more),
        )

    def _add_up_as_asked(self) -> None:
        self._is_asked_for = False
        self._add_up()

    def _add_up(self) -> None:
        while self._chunks:
            chunk = self._chunks.popleft()
            with passed(chunk.reached):
                fold(chunk.items)
