"""What was logged in one pass on this rank, and how does that become a message?

The training thread writes calls down, the publisher's thread alone adds them up, and neither waits
for the other. Where a GPU is in use, the training thread marks moments between the calls, and only
the calls before a moment are added up, once it has passed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ddpwatch.wire.messages import Emitted, Logged, MonitorState
from ddpwatch_lightning.cuda import Moment
from ddpwatch_lightning.emitted import Given, emitted
from ddpwatch_lightning.log_calls import Key, about
from ddpwatch_lightning.monitors import Held, states
from ddpwatch_lightning.passes import Pass, Position
from ddpwatch_lightning.scalars import moment, passed, uses_gpu
from ddpwatch_lightning.tally import Entry, Item, Restart, fold

MOST_KEYS = 4096
MOST_PENDING = 1024
MOST_COUNTED = 1 << 16
"""Keys beyond the first `MOST_KEYS` that are told apart, to be counted."""


class Ledger:
    """The calls of one pass; `at` is None until the pass has begun, which may be after a call."""

    def __init__(self, later: Callable[[Callable[[], object]], bool]) -> None:
        """Prepare; `later` lets something run on the publisher's thread, False says: never."""
        self.at: Pass | None = None
        self.entries: dict[Key, Entry] = {}
        self.pending: deque[Item | Moment] = deque()
        self._later = later
        self._more: set[Key] = set()
        self._unmarked: list[Item] = []
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
        self.pending.extend(
            Restart(entry)
            for (fx, _, loader), entry in self.entries.items()
            if fx == hook and loader < 0 and entry.is_tensor
        )

    def mark(self) -> None:
        """Let the calls so far be added up, also where a GPU is in use; for the training thread."""
        reached = moment()
        # Also where nothing is pending: the other thread may hold calls that wait for a moment.
        if reached is not None:
            self.pending.append(reached)

    def relieve(self) -> None:
        """Let nothing pile up where no hub asks for messages; for the training thread."""
        if len(self.pending) >= MOST_PENDING and not self._is_asked_for:
            self.mark()
            self._is_asked_for = self._later(self._add_up_as_asked)
            if not self._is_asked_for:
                self.pending.clear()

    def message(self, position: Position, declare: int) -> Logged:
        """Return what was logged so far; for the publisher's thread."""
        self._add_up()
        # Calls that are yet to be added up are the last ones, and so are their new entries.
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
        pending, items = self.pending, self._unmarked
        while pending:
            item = pending.popleft()
            if isinstance(item, Moment):
                with item.passed():
                    fold(items)
                items = []
            else:
                items.append(item)
        if items and not uses_gpu():
            fold(items)
            items = []
        self._unmarked = items
