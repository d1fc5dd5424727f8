"""Is a logged number what a metric's `compute` or `forward` returned? Decided bit for bit.

A metric keeps the last result of either until its next update. What all of them hold is noted
beside each logged value, by reference; the publisher's thread compares. A key came from a result
only if all its values in a pass did. Values such as 0 and 1 are held by too much at once to prove
anything by themselves; then the key's name has to speak for the metric, too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import torch
from torchmetrics import Metric

from ddpwatch_lightning.tracked import Tracked

MOST_METRICS = 256
MOST_ENTRIES = 4096
"""Elements of a result beyond which it is not looked through."""

COMMON = frozenset({0.0, 1.0})

_held = itemgetter("_computed", "_forward_cache")
_KINDS = ("compute", "forward")


class Source(NamedTuple):
    """A result that a number equals: of which kind, of the metric at which place, which entry.

    `entry` is -1 for a result of one element.
    """

    kind: int
    place: int
    entry: int


class Snapshot(NamedTuple):
    """What the metrics held at one moment, by reference: their computed and forward results."""

    sources: Sources
    held: list[tuple[Any, Any]]


class Sources:
    """The results of some metrics; by their place, their `paths`, and `words` that keys bear."""

    def __init__(self, metrics: Sequence[Tracked] = ()) -> None:
        metrics = metrics[:MOST_METRICS]
        self.paths = tuple(tracked.path for tracked in metrics)
        self.words = tuple(_words(tracked) for tracked in metrics)
        self._values: list[dict[str, Any]] = [vars(tracked.metric) for tracked in metrics]
        self._places = {id(tracked.metric): place for place, tracked in enumerate(metrics)}
        self._dropped: dict[int, Any] = {}

    def snapshot(self) -> Snapshot | None:
        """Return what they hold, None where there is nothing to hold; for the training thread."""
        if not self._values:
            return None
        held = list(map(_held, self._values))
        for place, computed in self._dropped.items():
            if held[place][0] is None:
                held[place] = (computed, held[place][1])
        return Snapshot(self, held)

    def note_reset(self, metric: Metric) -> None:
        """Remember what a metric computed, as it drops it: people log it afterwards."""
        place = self._places.get(id(metric))
        if place is not None:
            computed = self._values[place]["_computed"]
            if computed is not None:
                self._dropped[place] = computed

    def forget_resets(self) -> None:
        """Remember nothing of what was dropped."""
        self._dropped = {}


class Lookup:
    """Finds numbers in results, each of which it reads once; inside `scalars.passed`."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[Any, Mapping[float, tuple[int, ...]]]] = {}

    def sources(self, number: float, snapshot: Snapshot) -> set[Source]:
        """Return all results in `snapshot` that are this number or have it as an entry."""
        return {
            Source(kind, place, entry)
            for place, results in enumerate(snapshot.held)
            for kind, result in enumerate(results)
            if result is not None
            for entry in self._of(result).get(number, ())
        }

    def _of(self, result: Any) -> Mapping[float, tuple[int, ...]]:
        known = self._entries.get(id(result))
        if known is None:
            # The result is kept as well, or another one might get its identity.
            known = self._entries[id(result)] = (result, _entries(result))
        return known[1]


class Origin:
    """Narrows down where the values of one key come from."""

    __slots__ = ("_candidates", "_is_telling", "_sources", "is_open")

    def __init__(self) -> None:
        self.is_open = True
        self._candidates: set[Source] | None = None
        self._sources: Sources | None = None
        self._is_telling = False

    def narrow(self, number: float, snapshot: Snapshot | None, lookup: Lookup) -> None:
        """Take in a value and what metrics held when it was logged; a NaN tells nothing."""
        # `is_open` is what the training thread looks at; a value without a snapshot fits nothing.
        if not self.is_open or number != number:  # noqa: PLR0124
            return
        if self._candidates is None:
            self._sources = snapshot.sources if snapshot else None
        is_comparable = snapshot is not None and snapshot.sources is self._sources
        found = lookup.sources(number, snapshot) if snapshot and is_comparable else set()
        self._candidates = found if self._candidates is None else self._candidates & found
        self._is_telling |= number not in COMMON
        self.is_open = bool(self._candidates)

    def name(self, key: str) -> str:
        """Return `compute:PATH` or `forward:PATH`, and `:INDEX` of an entry; else nothing."""
        if not self._candidates or self._sources is None:
            return ""
        paths = self._sources.paths
        words = self._sources.words
        fits = {each: _fit(key, words[each.place]) for each in self._candidates}
        named = {each for each, fit in fits.items() if fit}
        if not named and not self._is_telling:
            return ""
        best = min(
            named or self._candidates,
            key=lambda each: (-fits[each], not _numbers(key, each, words[each.place]), each),
        )
        entry = f":{best.entry}" if best.entry >= 0 else ""
        return f"{_KINDS[best.kind]}:{paths[best.place]}{entry}"


def _entries(result: Any) -> Mapping[float, tuple[int, ...]]:
    if not isinstance(result, torch.Tensor) or result.ndim > 1 or result.numel() > MOST_ENTRIES:
        return {}
    if result.is_complex():
        return {}
    found: dict[float, tuple[int, ...]] = {}
    for index, number in _numbered(result):
        found[number] = (*found.get(number, ()), index)
    return found


def _numbered(result: torch.Tensor) -> Iterator[tuple[int, float]]:
    single = result.numel() == 1
    # A number that left its tensor comes back to Lightning in single precision.
    is_double = result.dtype is torch.float64
    for index, number in enumerate(result.detach().reshape(-1).tolist()):
        place = -1 if single else index
        yield place, number
        if is_double and (rounded := _rounded(number)) != number:
            yield place, rounded


def _rounded(number: float) -> float:
    try:
        rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return number
    return rounded


def _words(tracked: Tracked) -> tuple[str, ...]:
    """Return the last part of a metric's path, and its class without what says little: `f1`."""
    cls = type(tracked.metric).__name__.lower()
    for prefix in ("binary", "multiclass", "multilabel"):
        cls = cls.removeprefix(prefix)
    words = (tracked.path.rpartition(".")[2].lower(), cls.removesuffix("score"))
    return tuple(word for word in words if word)


def _fit(key: str, words: Sequence[str]) -> int:
    """Return the length of the longest word that a key bears, 0 where it bears none."""
    lower = key.lower()
    return max((len(word) for word in words if word in lower), default=0)


def _numbers(key: str, source: Source, words: Sequence[str]) -> bool:
    """Say whether the number at the end of a key is that of an entry, and not part of a word."""
    bare = key.rstrip("0123456789")
    is_word = bool(_fit(key, words)) and not _fit(bare, words)
    return source.entry >= 0 and key[len(bare) :] == str(source.entry) and not is_word
