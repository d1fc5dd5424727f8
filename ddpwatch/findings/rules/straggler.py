"""DW402: is one rank slower than the rest?"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule

FAULT = Fault(
    code="DW402",
    severity="info",
    title="one rank is slower than the rest",
    why=(
        "In DDP every step takes as long as on the slowest rank, so step times are the same on "
        "all. The slow one is that which has most work of its own before the backward pass, and "
        "waits least for the others."
    ),
)
LEAST_STEPS = 5
"""Steps that were looked at before their mean is worth anything."""

TIMES = 1.5
LEAST_SECONDS = 0.01
"""A rank is slow by both: that many times the others' time, and that much in a step."""


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield the slowest rank, where it is slower than the others together."""
    paces = {rank: p.seconds for rank, p in evidence.paces.items() if p.steps >= LEAST_STEPS}
    if len(paces) < 2 or len(paces) < evidence.world_size:
        return
    slow = max(paces, key=lambda rank: paces[rank])
    usual = median(seconds for rank, seconds in paces.items() if rank != slow)
    if paces[slow] < TIMES * usual or paces[slow] - usual < LEAST_SECONDS:
        return
    progress = evidence.progress.get(slow)
    wait = progress.data_wait if progress is not None else None
    data = f", {wait * 1000:.0f} ms of it for data" if wait is not None else ""
    yield FAULT.finding(
        f"rank {slow} works {paces[slow] * 1000:.0f} ms in a training step before the others can "
        f"go on{data}; the rest need {usual * 1000:.0f} ms",
        "# look at its data: DataLoader(…, num_workers=…, persistent_workers=True), a slower\n"
        "# disk, longer samples, another process on its GPU or CPU",
        ranks=(slow,),
    )


RULE = Rule(FAULT, find)
