"""DW301: does a metric carry earlier epochs with it?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, LoaderPass
from ddpwatch.findings.leftovers import leftovers
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import attribute, place

FAULT = Fault(
    code="DW301",
    severity="warning",
    title="a metric was not reset between epochs",
    why=(
        "Lightning resets the metrics that are given to `self.log` as objects. One whose "
        "`compute()` is called by hand keeps adding up, so every epoch's value holds all epochs "
        "before it."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield metrics that hold more updates than their pass has made."""
    for loader in evidence.loaders():
        if loader.key.pass_ > 0 and loader.key.stage != "sanity_check":
            yield from _of(loader, evidence)


def _of(loader: LoaderPass, evidence: Evidence) -> Iterator[Finding]:
    for left in leftovers(loader, evidence):
        passes = loader.key.pass_ + 1
        sanity = " and the sanity check" if left.path in evidence.sanity else ""
        where = attribute(left.path)
        yield FAULT.finding(
            f"{left.path} in {place(loader.key)} holds {left.updates} updates, {left.fresh} of "
            f"them of this epoch: not reset since ({passes} epochs{sanity} in it)",
            f"# in on_{_hook(loader.key.stage)}_epoch_end, after {where}.compute():\n"
            f"{where}.reset()\n"
            f"# or log the object, which Lightning resets: self.log('…', {where})",
            key=left.path,
            ranks=left.ranks,
            pass_key=loader.key,
        )


def _hook(stage: str) -> str:
    return {"validate": "validation"}.get(stage, stage)


RULE = Rule(FAULT, find)
