"""DW305: does `compute()` run a collective call every step?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.entries import full_name
from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.united import united
from ddpwatch.findings.wording import attribute, place

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
    yield from united(_of_each_rank(evidence))


def _of_each_rank(evidence: Evidence) -> Iterator[Finding]:
    if evidence.world_size < 2:
        return
    for taken in evidence.passes:
        for rank, said in sorted(taken.said.items()):
            told = set()
            for key in said.keys:
                path = key.origin.removeprefix("compute:").partition(":")[0]
                is_step = key.hook.endswith("_step") or "_batch_" in key.hook
                if not key.origin.startswith("compute:") or not is_step or key.calls < 2:
                    continue
                if path not in told:
                    told.add(path)
                    yield FAULT.finding(
                        f"{path}.compute() is called in {key.hook}, {key.calls} times so far in "
                        f"{place(taken.key)} on rank {rank}",
                        f"# in the step: count only\n{attribute(path)}.update(preds, target)\n"
                        f"self.log({key.name!r}, {attribute(path)}, on_step=False, on_epoch=True)",
                        key=full_name(key),
                        ranks=(rank,),
                        pass_key=taken.key,
                    )


RULE = Rule(FAULT, find)
