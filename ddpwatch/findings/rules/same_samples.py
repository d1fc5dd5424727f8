"""DW202: did every rank see the same samples, or do ranks split different subsets?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, LoaderPass
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import place
from ddpwatch.wire.messages import Loader

FAULT = Fault(
    code="DW202",
    severity="warning",
    title="every rank saw the same samples, or ranks split different subsets",
    why=(
        "Ranks have to share out one set. Without a distributed sampler each rank goes through "
        "all of it, and everything is counted once per rank; with subsets drawn from other seeds, "
        "some samples are taken by several ranks, and some by none."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield loaders whose contents, not whose sampler's type, prove it."""
    if evidence.world_size < 2:
        return
    yield from _different_subsets(evidence)
    for loader in evidence.loaders():
        if loader.key.stage != "sanity_check" and loader.is_final(evidence.world_size):
            yield from _same_samples(loader, evidence)


def _same_samples(loader: LoaderPass, evidence: Evidence) -> Iterator[Finding]:
    sums = {state.checksum for state in loader.states.values()}
    counts = {state.samples for state in loader.states.values()}
    if len(sums) > 1 or 0 in sums or len(counts) > 1 or _shares_out(loader, evidence):
        return
    samples = counts.pop()
    if not samples or (samples == 1 and max(s.batches for s in loader.states.values()) < 2):
        return
    yield FAULT.finding(
        f"{place(loader.key)}: all {evidence.world_size} ranks saw the same {samples} samples "
        f"(checksum {sums.pop():x} on each), so each is counted {evidence.world_size} times",
        "trainer = Trainer(use_distributed_sampler=True)  # the default; or in your own loader:\n"
        "DataLoader(dataset, sampler=DistributedSampler(dataset, shuffle=False))",
        ranks=loader.states,
        pass_key=loader.key,
    )


def _shares_out(loader: LoaderPass, evidence: Evidence) -> bool:
    """Whether samplers take turns in one list: equal sums are then an accident of equal samples."""
    declared = _declared(evidence, loader.key.stage, loader.key.dataloader)
    replicas = {each.replicas for each in declared.values()}
    places = {each.replica for each in declared.values()}
    return replicas == {evidence.world_size} and len(places) == evidence.world_size


def _different_subsets(evidence: Evidence) -> Iterator[Finding]:
    declare = evidence.declares.get(0)
    for one in declare.loaders if declare is not None else ():
        declared = _declared(evidence, one.stage, one.dataloader)
        prints = {rank: each.fingerprint for rank, each in declared.items()}
        shared = all(each.replicas == evidence.world_size for each in declared.values())
        known = len(prints) == evidence.world_size and all(prints.values())
        if known and shared and len(set(prints.values())) > 1:
            yield _subsets_finding(one, prints)


def _subsets_finding(loader: Loader, prints: dict[int, str]) -> Finding:
    shown = ", ".join(f"{text[:8]} on rank {rank}" for rank, text in sorted(prints.items())[:4])
    where = f" dataloader {loader.dataloader}" if loader.dataloader else ""
    return FAULT.finding(
        f"{loader.stage}{where}: each rank takes its turn of a different subset of "
        f"{loader.length} samples (indices' fingerprint {shown})",
        "# the same split on every rank\n"
        "random_split(dataset, lengths, generator=torch.Generator().manual_seed(42))",
        key=f"{loader.stage} subset {loader.dataloader}",
        ranks=prints,
    )


def _declared(evidence: Evidence, stage: str, dataloader: int) -> dict[int, Loader]:
    found = {r: evidence.loader(r, stage, dataloader) for r in range(evidence.world_size)}
    return {rank: each for rank, each in found.items() if each is not None}


RULE = Rule(FAULT, find)
