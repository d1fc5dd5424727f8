"""What must every hub come to know, whenever it starts, and what does this one know already?"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

LIMIT = 64 * 1024 * 1024
"""Bytes of packed bodies that a rank keeps; beyond it, the oldest go."""

_ENTRY_COST = 128
"""Bytes that an entry costs besides its body, so that the bound also holds for many small ones."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One kept body, packed; `number` counts from 1 and `at` is the sender's wall clock."""

    number: int
    at: float
    packed: bytes


@dataclass(slots=True)
class Tally:
    """What a rank counts over all its publishers; only the publisher's thread writes it.

    `seq` is the number of the newest frame that was sent or given up.
    """

    seq: int = 0
    dropped: int = 0
    failures: int = 0
    bytes_sent: int = 0


class Journal:
    """The entries of one rank of one run, kept until its process exits or their bound is reached.

    It belongs to whoever makes publishers: the next publisher of the same run and claim is given
    the same journal and goes on where the last one ended. One thread appends and any may read.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.tally = Tally()
        self._limit = limit
        self._lock = threading.Lock()
        self._entries: dict[int, Entry] = {}
        self._passing: deque[int] = deque()
        self._lasting: deque[int] = deque()
        self._nbytes = 0
        self._last = 0
        self._lost = 0
        self._session = ""
        self._acknowledged = 0

    @property
    def count(self) -> int:
        """Entries held."""
        return len(self._entries)

    @property
    def nbytes(self) -> int:
        """Bytes held, each entry's own cost included."""
        return self._nbytes

    @property
    def lost(self) -> int:
        """How many entries are gone because of the bound."""
        return self._lost

    def append(self, packed: bytes, at: float, *, lasting: bool = False) -> int:
        """Keep a packed body and return its number.

        Lasting entries say what the others mean (who the rank is, what it tracks), so they go only
        when there is nothing else left to give up. A body beyond the bound itself is lost at once.
        """
        with self._lock:
            self._last += 1
            if _ENTRY_COST + len(packed) > self._limit:
                self._lost += 1
                return self._last
            self._entries[self._last] = Entry(self._last, at, packed)
            (self._lasting if lasting else self._passing).append(self._last)
            self._nbytes += _ENTRY_COST + len(packed)
            while self._nbytes > self._limit:
                self._give_up_one()
            return self._last

    def get(self, number: int) -> Entry | None:
        """Return the entry, or None when it is gone."""
        return self._entries.get(number)

    def unacknowledged(self, session: str) -> tuple[int, ...]:
        """Return the numbers that the hub of this session has not acknowledged, oldest first.

        A session that is not the one asked for last knows nothing yet: these are then all entries.
        """
        with self._lock:
            if session != self._session:
                self._session, self._acknowledged = session, 0
            return tuple(number for number in self._entries if number > self._acknowledged)

    def acknowledge(self, session: str, upto: int) -> None:
        """Note that this session's hub has every entry up to `upto`; ignore other sessions."""
        with self._lock:
            if session == self._session:
                self._acknowledged = max(self._acknowledged, min(upto, self._last))

    def is_settled(self, session: str) -> bool:
        """Say whether this session's hub has acknowledged everything that is kept."""
        with self._lock:
            newest = next(reversed(self._entries), 0)
            return session == self._session and self._acknowledged >= newest

    def _give_up_one(self) -> None:
        number = (self._passing or self._lasting).popleft()
        self._nbytes -= _ENTRY_COST + len(self._entries.pop(number).packed)
        self._lost += 1
