"""DW308: do metrics of one compute group share state although they are configured differently?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.wire.messages import TrackedMetric

FAULT = Fault(
    code="DW308",
    severity="warning",
    title="metrics of a compute group share state although they are configured differently",
    why=(
        "After the first batch a MetricCollection lets metrics with equal states share one. Two "
        "that differ in a parameter of `update()` may be equal by chance on that batch, and from "
        "then on one of them shows the other's counts."
    ),
)
OF_UPDATE = (
    "threshold", "top_k", "ignore_index", "num_classes", "num_labels", "multidim_average",
    "thresholds", "nan_strategy",
)  # fmt: skip
"""Parameters that decide what `update()` counts; `average` and the like only matter later."""


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield each metric whose state is that of one which counts something else."""
    told = set()
    for rank, metric, leader in (*_declared(evidence), *_led(evidence)):
        differing = _differing(metric, leader)
        if differing and metric.path not in told:
            told.add(metric.path)
            yield _finding(metric, leader, differing, rank)


def _declared(evidence: Evidence) -> Iterator[tuple[int, TrackedMetric, TrackedMetric]]:
    """Groups as they are declared: rank, member, leader."""
    for rank, declare in sorted(evidence.declares.items()):
        for metric in declare.metrics:
            if 0 <= metric.group < len(declare.metrics):
                yield rank, metric, declare.metrics[metric.group]


def _led(evidence: Evidence) -> Iterator[tuple[int, TrackedMetric, TrackedMetric]]:
    """Groups as the states show them, which form with the first update."""
    for loader in evidence.loaders():
        for rank, declare in sorted(loader.declares.items()):
            for held in loader.held(rank):
                if 0 <= held.state.leader < len(declare.metrics):
                    yield rank, held.metric, declare.metrics[held.state.leader]


def _differing(metric: TrackedMetric, leader: TrackedMetric) -> list[str]:
    return [
        name
        for name in OF_UPDATE
        if name in metric.params
        and name in leader.params
        and metric.params[name] != leader.params[name]
    ]


def _finding(metric: TrackedMetric, leader: TrackedMetric, names: list[str], rank: int) -> Finding:
    told = ", ".join(f"{name} {metric.params[name]} and {leader.params[name]}" for name in names)
    return FAULT.finding(
        f"{metric.path} and {leader.path} share one state, with different {told}",
        "MetricCollection({…}, compute_groups=False)  # or name the groups yourself",
        key=metric.path,
        ranks=(rank,),
    )


RULE = Rule(FAULT, find)
