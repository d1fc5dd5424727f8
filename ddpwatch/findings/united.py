"""Which findings are one fault that several ranks share?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ddpwatch.board.snapshot import Finding, PassKey
from ddpwatch.findings.wording import ranks


def united(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield one finding per key and pass: the first rank's words, for all ranks where it is so."""
    told: dict[tuple[str, PassKey | None], list[Finding]] = {}
    for finding in findings:
        told.setdefault((finding.key, finding.pass_key), []).append(finding)
    for first, *others in told.values():
        also = {rank for other in others for rank in other.ranks} - set(first.ranks)
        more = f"; so it is on {ranks(also)}" if also else ""
        everyone = tuple(sorted(also.union(first.ranks)))
        yield replace(first, message=first.message + more, ranks=everyone)
