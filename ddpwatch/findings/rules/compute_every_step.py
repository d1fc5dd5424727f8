"""DW305: does `compute()` run a collective call every step?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.entries import full_name
from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.united import Where, united
from ddpwatch.findings.wording import attribute, place
from ddpwatch.wire.messages import LoggedKey

FAULT = Fault(
    code="DW305",
    severity="info",
    title="`compute()` runs a collective every step",
    why=(
        "`Metric.compute()` gathers the states of all ranks each time it is called. Called in "
        "every step it makes all ranks wait for the slowest, at every step."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield keys of a step hook whose value came from `compute()` more than once."""
    yield from united(_computed(evidence), _tell)


def _computed(evidence: Evidence) -> Iterator[tuple[Where, LoggedKey]]:
    """The first such key of each metric, rank by rank."""
    if evidence.world_size < 2:
        return
    for taken in evidence.passes:
        for rank, said in sorted(taken.said.items()):
            told = set()
            for key in said.keys:
                is_step = key.hook.endswith("_step") or "_batch_" in key.hook
                if not key.origin.startswith("compute:") or not is_step or key.calls < 2:
                    continue
                if _path(key) not in told:
                    told.add(_path(key))
                    yield Where(full_name(key), taken.key, rank), key


def _tell(where: Where, key: LoggedKey) -> Finding:
    path = _path(key)
    return FAULT.finding(
        f"{path}.compute() is called in {key.hook}, {key.calls} times so far in "
        f"{place(where.pass_key)} on rank {where.rank}",
        f"# in the step: count only\n{attribute(path)}.update(preds, target)\n"
        f"self.log({key.name!r}, {attribute(path)}, on_step=False, on_epoch=True)",
        key=where.key,
        pass_key=where.pass_key,
    )


def _path(key: LoggedKey) -> str:
    return key.origin.removeprefix("compute:").partition(":")[0]


RULE = Rule(FAULT, find)
