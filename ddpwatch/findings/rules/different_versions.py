"""DW404: do ranks run different versions, or hold their metrics in another order?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import ranks

FAULT = Fault(
    code="DW404",
    severity="warning",
    title="ranks run different versions, or hold the metrics of a collection in another order",
    why=(
        "Ranks match their collective calls by order alone. Metrics in another order swap their "
        "values, or hang; another version may compute something else under the same name."
    ),
)


class _Part(NamedTuple):
    """One difference: what is told of it, what to do, and the ranks."""

    told: str
    fix: str
    ranks: tuple[int, ...]


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield, in one finding, what the ranks have not in common from the start."""
    parts = [*_versions(evidence), *_order(evidence)]
    if parts:
        yield FAULT.finding(
            "; ".join(part.told for part in parts),
            "\n".join(part.fix for part in parts),
            ranks={rank for part in parts for rank in part.ranks},
        )


def _versions(evidence: Evidence) -> Iterator[_Part]:
    by_package: dict[str, dict[str, list[int]]] = {}
    for rank, hello in sorted(evidence.hellos.items()):
        for package, version in hello.versions.items():
            by_package.setdefault(package, {}).setdefault(version, []).append(rank)
    for package, versions in by_package.items():
        if len(versions) > 1:
            told = ", ".join(f"{version} on {ranks(those)}" for version, those in versions.items())
            usual = max(versions, key=lambda version: len(versions[version]))
            yield _Part(
                f"{package} is {told}",
                f"pip install '{package}=={usual}'  # in the environment of every node",
                tuple(rank for those in versions.values() for rank in those),
            )


def _order(evidence: Evidence) -> Iterator[_Part]:
    paths = {
        rank: tuple(metric.path for metric in declare.metrics)
        for rank, declare in evidence.declares.items()
        if declare.metrics
    }
    if len(paths) < 2:
        return
    first_rank = min(paths)
    first = paths[first_rank]
    odd = [r for r, those in paths.items() if those != first and sorted(those) == sorted(first)]
    if odd:
        other = paths[odd[0]]
        at = next(i for i, (a, b) in enumerate(zip(first, other, strict=True)) if a != b)
        yield _Part(
            f"{ranks(odd)} holds its metrics in another order than rank {first_rank}: "
            f"{other[at]} where that one has {first[at]}",
            "# no set, and no dict in the order of a set: names in one order on every rank\n"
            "MetricCollection({name: metrics[name] for name in sorted(metrics)})",
            tuple(odd),
        )


RULE = Rule(FAULT, find)
