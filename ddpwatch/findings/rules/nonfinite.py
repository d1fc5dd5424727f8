"""DW403: was a value not finite, on which ranks, since which step?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.entries import full_name
from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, PassEvidence
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import place, plural, ranks
from ddpwatch.wire.messages import LoggedKey

FAULT = Fault(
    code="DW403",
    severity="warning",
    title="a value is not finite, on these ranks, since this step",
    why=(
        "One NaN on one rank makes every mean that it enters NaN; a key that is not synced hides "
        "it on that rank, and a MeanMetric leaves it out with no more than a warning."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield keys to which some rank gave NaN or an infinity."""
    for taken in evidence.passes:
        where: dict[tuple[str, int], dict[int, LoggedKey]] = {}
        for rank, said in taken.said.items():
            for key in said.keys:
                where.setdefault((full_name(key), key.dataloader), {})[rank] = key
        for (name, loader), keys in where.items():
            bad = {rank: key for rank, key in keys.items() if key.nonfinite}
            if bad:
                yield _finding(name, loader, keys, bad, taken)


def _finding(
    name: str,
    loader: int,
    keys: dict[int, LoggedKey],
    bad: dict[int, LoggedKey],
    taken: PassEvidence,
) -> Finding:
    calls, wrong = sum(k.calls for k in keys.values()), sum(k.nonfinite for k in bad.values())
    rank = min(bad, key=lambda r: (bad[r].nonfinite_step, r))
    return FAULT.finding(
        f"{name} in {place(taken.key)}: {plural(wrong, 'value')} of {calls} "
        f"{'is' if wrong == 1 else 'are'} not finite, on {ranks(bad)}, first on rank {rank} at "
        f"step {bad[rank].nonfinite_step}",
        f"# stop where it begins, on rank {rank}:\n"
        f"if not torch.isfinite(value).all():\n"
        f'    raise ValueError(f"{name} at batch {{batch_idx}}")',
        key=name,
        ranks=bad,
        pass_key=taken.key._replace(dataloader=max(loader, 0)),
    )


RULE = Rule(FAULT, find)
