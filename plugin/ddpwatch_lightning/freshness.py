"""How many updates did a metric get since this pass and dataloader began?"""

from __future__ import annotations


class Freshness:
    """Counts from what is seen of each metric's own count, which a reset takes back to zero."""

    __slots__ = ("_fresh", "_last")

    def __init__(self) -> None:
        self._last: dict[int, int] = {}
        self._fresh: dict[int, int] = {}

    def begin(self, key: int, count: int) -> None:
        """Take `count` as what was there before; a key that never began had nothing before."""
        self._last[key] = count
        self._fresh[key] = 0

    def observe(self, key: int, count: int) -> int:
        """Take in a metric's present count and return its updates since the beginning, so far.

        Updates before a reset that nobody observed in between are not known.
        """
        last = self._last.get(key, 0)
        fresh = self._fresh.get(key, 0)
        if count != last:
            fresh += count - last if count > last else count
            self._last[key] = count
            self._fresh[key] = fresh
        return fresh
