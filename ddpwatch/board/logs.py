"""What has each rank logged in one pass, as its newest message tells it?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from ddpwatch.board.entries import entries_of
from ddpwatch.board.snapshot import LoggedId
from ddpwatch.wire.messages import Logged


@dataclass(frozen=True, slots=True)
class HeldLogged:
    """A rank's account of a pass, the claim that its declaration belongs to, its journal number."""

    logged: Logged
    claim: str
    journal: int = 0

    @property
    def age(self) -> tuple[bool, int, int, int]:
        """What grows from message to message: a final one is newer than any other."""
        logged = self.logged
        calls = sum(key.calls for key in logged.keys)
        return logged.final, self.journal if logged.final else 0, logged.step, calls


@dataclass(slots=True)
class LoggedPass:
    """The newest account of every rank; `version` grows when one changes."""

    ranks: dict[int, HeldLogged] = field(default_factory=dict)
    version: int = 0

    def add(self, rank: int, held: HeldLogged) -> bool:
        """Take in one message and say whether it is news; order and repeats do not matter."""
        known = self.ranks.get(rank)
        if known is not None and (known.age > held.age or known.logged == held.logged):
            return False
        self.ranks[rank] = held
        self.version += 1
        return True

    def ids(self) -> tuple[LoggedId, ...]:
        """Every name that some rank has given out, each once."""
        found: dict[LoggedId, None] = {}
        for rank, held in sorted(self.ranks.items()):
            found.update(dict.fromkeys(entry.id for entry in entries_of(rank, held.logged)))
        return tuple(found)

    def is_final(self, expected: Collection[int]) -> bool:
        """Whether every expected rank has sent its last word on this pass."""
        return all(r in self.ranks and self.ranks[r].logged.final for r in expected)
