"""DW304: does one metric object serve two stages or two dataloaders, and mix them?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, LoaderPass, Use
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import attribute, place, plural

FAULT = Fault(
    code="DW304",
    severity="warning",
    title="one metric object serves two stages or two dataloaders",
    why=(
        "A metric object has one state. Validation runs inside the training epoch: what it adds "
        "is in the training's value, and the reset at its end empties the training's counts. The "
        "same goes for two dataloaders of one stage."
    ),
    replaces=("DW301", "DW302"),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield metrics of several uses whose counts are not those of the pass alone."""
    for loader in evidence.loaders():
        told = set()
        for rank in sorted(loader.states):
            for held in loader.held(rank):
                path, state = held.metric.path, held.state
                uses = evidence.uses.get(path, frozenset())
                if path in told or len(uses) < 2 or state.updates == state.fresh:
                    continue
                told.add(path)
                yield _finding(loader, path, (state.updates, state.fresh), uses)


def _finding(
    loader: LoaderPass, path: str, counted: tuple[int, int], uses: frozenset[Use]
) -> Finding:
    updates, fresh = counted
    stages = sorted({use.stage for use in uses})
    several = stages if len(stages) > 1 else [f"dataloader {u.dataloader}" for u in sorted(uses)]
    mixed = (
        f"with {plural(updates - fresh, 'update')} from elsewhere"
        if updates > fresh
        else f"{fresh - updates} reset away by the other"
    )
    own = [name.replace(" ", "_").replace("validate", "val") for name in several[:2]]
    cls = "MetricClass(…)"
    return FAULT.finding(
        f"{path} serves {' and '.join(several)}: in {place(loader.key)} it holds "
        f"{plural(updates, 'update')} where {fresh} were made, {mixed}",
        f"# one object for each, in __init__, in place of {attribute(path)}:\n"
        + "\n".join(f"self.{name}_metric = {cls}" for name in own),
        key=path,
        ranks=loader.states,
        pass_key=loader.key,
    )


RULE = Rule(FAULT, find)
