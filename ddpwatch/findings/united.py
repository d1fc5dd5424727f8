"""Which sightings on several ranks are one fault?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeVar

from ddpwatch.board.snapshot import Finding, PassKey
from ddpwatch.findings.wording import ranks

Seen = TypeVar("Seen")


class Where(NamedTuple):
    """What a sighting is about (a logged key, a metric path), in which pass, on which rank."""

    key: str
    pass_key: PassKey
    rank: int


def united(
    sightings: Iterable[tuple[Where, Seen]], tell: Callable[[Where, Seen], Finding]
) -> Iterator[Finding]:
    """Yield one finding per key and pass: what `tell` says of the first, with all ranks.

    A run has thousands of ranks, and often all have the same fault: words are made of one only.
    """
    groups: dict[tuple[str, PassKey], tuple[Where, Seen, set[int]]] = {}
    for where, seen in sightings:
        group = (where.key, where.pass_key)
        groups.setdefault(group, (where, seen, set()))[2].add(where.rank)
    for where, seen, seen_on in groups.values():
        finding = tell(where, seen)
        others = seen_on - {where.rank}
        more = f"; so it is on {ranks(others)}" if others else ""
        yield replace(finding, message=finding.message + more, ranks=tuple(sorted(seen_on)))
