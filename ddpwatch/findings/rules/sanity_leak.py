"""DW302: are batches of the sanity check in the first epoch's value?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.leftovers import leftovers
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import attribute, place, plural

FAULT = Fault(
    code="DW302",
    severity="warning",
    title="sanity-check batches leaked into the first epoch",
    why=(
        "Before training, Lightning runs two validation batches as a sanity check. Metrics that "
        "are not logged as objects keep what they counted there, and the first validation begins "
        "with it."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield metrics that begin their first validation with the sanity check's updates."""
    for loader in evidence.loaders():
        if loader.key.stage != "validate" or loader.key.pass_ != 0:
            continue
        for left in leftovers(loader, evidence):
            leaked = evidence.sanity.get(left.path, 0)
            if not leaked:
                continue
            metric = attribute(left.path)
            yield FAULT.finding(
                f"{left.path} in {place(loader.key)} holds {plural(left.updates, 'update')}, "
                f"{left.fresh} of them its own; {leaked} came from the sanity check",
                f"# reset where the value is taken, in on_validation_epoch_end\n{metric}.reset()\n"
                "# or before training begins, in on_train_start",
                key=left.path,
                ranks=left.ranks,
                pass_key=loader.key,
            )


RULE = Rule(FAULT, find)
