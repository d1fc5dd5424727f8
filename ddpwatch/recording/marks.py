"""Which moments of a recording are worth going to: where an epoch ended, where a finding came?"""

from __future__ import annotations

from ddpwatch.board.findings_told import decode
from ddpwatch.board.snapshot import Mark
from ddpwatch.errors import FrameError
from ddpwatch.wire.messages import Event
from ddpwatch.wire.stamped import Item, Stamped, Told

_FIT = ("train", "validate")


class Marks:
    """Collects them from items in time order."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, int], float] = {}
        self._found: dict[tuple[str, str, str], Mark] = {}
        self._ordered: tuple[Mark, ...] = ()
        self._is_stale = False

    def note(self, item: Item) -> None:
        """Take in an item."""
        if isinstance(item, Told):
            self._finding(item)
        elif isinstance(item, Stamped) and isinstance(item.envelope.body, Event):
            self._event(item.at, item.envelope.body)

    def ordered(self) -> tuple[Mark, ...]:
        """All of them by time."""
        if self._is_stale:
            ends = (Mark(at, "epoch", f"{w} {e}") for (w, e), at in self._ends.items())
            self._ordered = tuple(sorted((*ends, *self._found.values()), key=lambda m: m.at))
            self._is_stale = False
        return self._ordered

    def _event(self, at: float, event: Event) -> None:
        if event.kind == "pass_end" and event.stage not in (None, "sanity_check"):
            word = "epoch" if event.stage in _FIT else str(event.stage)
            self._ends[word, event.epoch] = at
            self._is_stale = True

    def _finding(self, told: Told) -> None:
        try:
            verdict = decode(told.raw)
        except FrameError:
            return
        finding = verdict.finding
        place = (told.run, finding.code, finding.key)
        self._is_stale = True
        if not verdict.stands:
            self._found.pop(place, None)
        elif place not in self._found:
            text = f"{finding.code} {finding.message}"
            self._found[place] = Mark(told.at, "finding", text, finding.severity)
