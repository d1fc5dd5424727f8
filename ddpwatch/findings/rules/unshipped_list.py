"""DW309: is a metric's state an unbounded list, so that its global value is not recomputed?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, Held
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.united import Where, united
from ddpwatch.findings.wording import attribute, place, plural
from ddpwatch.wire.messages import ListSize, TrackedMetric

FAULT = Fault(
    code="DW309",
    severity="info",
    title="an unbounded list state is not shipped: its global value is not recomputed",
    why=(
        "The metric keeps every prediction. Sending them all would slow the training down, so "
        "only their number is sent, and the value over all ranks is what Lightning logged."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield metrics that keep their samples in lists, once they have any."""
    yield from united(_lists(evidence), _tell)


def _lists(evidence: Evidence) -> Iterator[tuple[Where, Held]]:
    for loader in evidence.loaders():
        if loader.key.stage == "sanity_check":
            continue
        for rank in sorted(loader.states):
            for held in loader.held(rank):
                if any(size.length for size in _sizes(held)):
                    yield Where(held.metric.path, loader.key, rank), held


def _sizes(held: Held) -> list[ListSize]:
    return [state for state in held.state.states if isinstance(state, ListSize)]


def _tell(where: Where, held: Held) -> Finding:
    sizes = _sizes(held)
    nbytes = sum(size.nbytes for size in sizes)
    items = plural(sizes[0].length, "item")
    return FAULT.finding(
        f"{held.metric.path} in {place(where.pass_key)} has {items}, "
        f"{nbytes:,} bytes, in its lists on rank {where.rank} so far",
        _fix(held.metric),
        key=where.key,
        pass_key=where.pass_key,
    )


def _fix(metric: TrackedMetric) -> str:
    cls = metric.cls.rpartition(".")[2]
    if "thresholds" in metric.params:
        return f"{attribute(metric.path)} = {cls}(…, thresholds=200)  # a few kB, whatever the set"
    return f"# {cls} has no binned variant; its own compute() is right, log the object"


RULE = Rule(FAULT, find)
