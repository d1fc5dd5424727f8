"""DW203: did the ranks see different numbers of samples?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding, Severity
from ddpwatch.findings.evidence import Evidence, LoaderPass, PassEvidence
from ddpwatch.findings.logged_rows import epoch_rows
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import place

FAULT = Fault(
    code="DW203",
    severity="info",
    title="ranks saw different numbers of samples",
    why=(
        "A plain mean over ranks counts every rank alike, however few samples it saw. States that "
        "are added up are right all the same."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield finished loaders with unequal shares."""
    for taken in evidence.passes:
        for loader in taken.loaders:
            samples = _samples(loader, evidence.world_size)
            if taken.key.stage != "sanity_check" and len(set(samples.values())) > 1:
                yield _finding(taken, loader, samples)


def _samples(loader: LoaderPass, world_size: int) -> dict[int, int]:
    if world_size < 2 or not loader.is_final(world_size):
        return {}
    found = {rank: state.samples for rank, state in loader.states.items()}
    known = {rank: count for rank, count in found.items() if count is not None}
    return known if len(known) == world_size else {}


def _finding(taken: PassEvidence, loader: LoaderPass, samples: dict[int, int]) -> Finding:
    plain = [row.id.name for row in epoch_rows(taken) if row.reduction == "mean-of-ranks"]
    severity: Severity = "warning" if plain else "info"
    told = f"; {', '.join(plain[:3])} is their plain mean" if plain else ""
    least, most = min(samples, key=lambda r: samples[r]), max(samples, key=lambda r: samples[r])
    return FAULT.finding(
        f"{place(loader.key)}: rank {most} saw {samples[most]} samples, rank {least} "
        f"{samples[least]}{told}",
        "# log metric objects, or give the batch size, so that each sample counts alike:\n"
        f"self.log({plain[0] if plain else 'val_loss'!r}, value, "
        "batch_size=len(target), sync_dist=True)",
        ranks=samples,
        pass_key=loader.key,
        severity=severity,
    )


RULE = Rule(FAULT, find)
