"""DW201: did the sampler repeat samples, so that all ranks get equally many?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, LoaderPass
from ddpwatch.findings.removal import bounds_without
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import number, place, plural

FAULT = Fault(
    code="DW201",
    severity="warning",
    title="DistributedSampler padded the set: samples are counted twice",
    why=(
        "A DistributedSampler gives every rank equally many samples. Where the set does not "
        "divide, it takes the first ones again, and they enter every metric twice. The value "
        "changes with the number of GPUs."
    ),
)
STAGES = ("validate", "test", "predict")
"""In training, a repeated sample distorts no result that anyone reports."""


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield evaluation loaders over which more samples were counted than the set has."""
    for loader in evidence.loaders():
        repeated = _repeated(loader, evidence)
        if repeated:
            yield _finding(loader, evidence, repeated)


def _repeated(loader: LoaderPass, evidence: Evidence) -> int:
    """Samples beyond the set's length, where padding explains them; else 0."""
    declared = evidence.loader(0, loader.key.stage, loader.key.dataloader)
    if loader.key.stage not in STAGES or declared is None:
        return 0
    length, total = declared.length, declared.total
    if length is None or total is None or declared.replicas != evidence.world_size:
        return 0
    extra = _seen(loader) - length
    return extra if 0 < extra <= total - length else 0


def _seen(loader: LoaderPass) -> int:
    return sum(state.samples or 0 for state in loader.states.values())


def _finding(loader: LoaderPass, evidence: Evidence, repeated: int) -> Finding:
    seen = _seen(loader)
    parts = [
        f"{row.key.metric} {number(row.global_)} lies between {number(low)} and {number(high)} "
        "without them"
        for row, low, high in bounds_without(loader, repeated)
    ]
    told = f"; {'; '.join(parts[:3])}" if parts else ""
    return FAULT.finding(
        f"{place(loader.key)}: {seen} samples counted, {seen - repeated} in the set: "
        f"{plural(repeated, 'sample')} repeated by padding{told}",
        f"# a set whose length divides by {evidence.world_size} ranks, or for exact results:\n"
        "trainer = Trainer(devices=1, num_nodes=1)  # the same checkpoint, on one device\n"
        "trainer.validate(model, dataloaders=loader)",
        ranks=loader.states,
        pass_key=loader.key,
    )


RULE = Rule(FAULT, find)
