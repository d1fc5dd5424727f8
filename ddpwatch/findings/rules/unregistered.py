"""DW303: is a metric no registered submodule?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import ranks
from ddpwatch.wire.messages import TrackedMetric

FAULT = Fault(
    code="DW303",
    severity="warning",
    title="a metric is not a registered submodule: it stays on its device and is never reset",
    why=(
        "Lightning and torch know only submodules. A metric in a plain list or dict is not moved "
        "to the GPU (its `compute()` then fails in NCCL), not reset, not saved, and `self.log` "
        "refuses it."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield metrics that were found outside of the modules."""
    objects: dict[int, set[int]] = {}
    loose: dict[str, dict[int, TrackedMetric]] = {}
    for rank, metric in evidence.declared():
        if metric.registered and metric.object:
            objects.setdefault(rank, set()).add(metric.object)
        elif not metric.registered and not metric.shadow:
            loose.setdefault(metric.path, {})[rank] = metric
    for path, found in loose.items():
        if any(m.object and m.object in objects.get(rank, ()) for rank, m in found.items()):
            continue
        metric = next(iter(found.values()))
        yield FAULT.finding(
            f"{path} ({metric.cls.rpartition('.')[2]}) on {ranks(found)} is held outside of the "
            f"module's submodules, on {metric.device}",
            "# in __init__, in place of a plain dict or list:\n"
            "self.metrics = torch.nn.ModuleDict({…})  # or ModuleList, or MetricCollection",
            key=path,
            ranks=found,
        )


RULE = Rule(FAULT, find)
