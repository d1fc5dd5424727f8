"""How many updates did a metric get since this pass and dataloader began?"""

from __future__ import annotations

from collections.abc import Sequence
from operator import lt


class Freshness:
    """Learns from each metric's own count, which a reset takes back to zero.

    Of every metric it knows an offset: the fresh updates are the present count less the offset.
    """

    __slots__ = ("_keys", "_last", "_offsets", "_others")

    def __init__(self) -> None:
        self._keys: Sequence[int] = ()
        self._last: Sequence[int] = ()
        self._offsets: Sequence[int] = ()
        self._others: dict[int, tuple[int, int]] = {}

    def begin(self, keys: Sequence[int], counts: Sequence[int]) -> None:
        """Take `counts` as what was there before; a key that never began had nothing before."""
        self._keys, self._last, self._offsets = keys, counts, counts
        self._others = {}

    def observe(self, keys: Sequence[int], counts: Sequence[int]) -> Sequence[int]:
        """Take in the present counts and return their offsets.

        Updates before a reset that nobody observed in between are not known.
        """
        if keys is not self._keys:
            self._turn_to(keys)
        if True in map(lt, counts, self._last):
            self._offsets = [
                offset - last if count < last else offset
                for count, last, offset in zip(counts, self._last, self._offsets, strict=True)
            ]
        self._last = counts
        return self._offsets

    def leave_out(self, keys: Sequence[int], counts: Sequence[int]) -> None:
        """Take in the present counts; what changed since the last look was none of this pass."""
        if keys is not self._keys:
            self._turn_to(keys)
        self._offsets = [
            offset + count - last
            for count, last, offset in zip(counts, self._last, self._offsets, strict=True)
        ]
        self._last = counts

    def _turn_to(self, keys: Sequence[int]) -> None:
        """Go on with other keys; what is known of the present ones is kept for later."""
        known = zip(self._keys, zip(self._last, self._offsets, strict=True), strict=True)
        self._others.update(known)
        found = [self._others.get(key, (0, 0)) for key in keys]
        self._keys = keys
        self._last, self._offsets = [each[0] for each in found], [each[1] for each in found]
