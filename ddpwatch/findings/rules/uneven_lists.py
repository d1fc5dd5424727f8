"""DW307: have list states without a reduction different lengths on the ranks?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, LoaderPass
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import attribute, place, plural
from ddpwatch.wire.messages import ListSize

FAULT = Fault(
    code="DW307",
    severity="error",
    title="list states without a reduction have different lengths: `compute()` will hang",
    why=(
        "torchmetrics gathers such a list item by item, one collective call for each. A rank with "
        "more items makes more calls than the others answer, and waits until the timeout."
    ),
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield lists that differ once every rank has seen its last batch, before `compute()`."""
    if evidence.world_size < 2:
        return
    for loader in evidence.loaders():
        if loader.is_at_end(evidence.world_size):
            for (path, state), lengths in _lengths(loader).items():
                if len(lengths) == evidence.world_size and len(set(lengths.values())) > 1:
                    yield _finding(loader, path, state, lengths)


def _lengths(loader: LoaderPass) -> dict[tuple[str, str], dict[int, int]]:
    found: dict[tuple[str, str], dict[int, int]] = {}
    for rank in loader.states:
        for held in loader.held(rank):
            for spec, state in zip(held.metric.states, held.state.states, strict=False):
                if spec.is_list and spec.reduction == "none" and isinstance(state, ListSize):
                    found.setdefault((held.metric.path, spec.name), {})[rank] = state.length
    return found


def _finding(loader: LoaderPass, path: str, state: str, lengths: dict[int, int]) -> Finding:
    first, *rest = (
        f"{plural(count, 'item')} on rank {rank}" if rank == min(lengths)
        else f"{count} on rank {rank}"
        for rank, count in sorted(lengths.items())
    )  # fmt: skip
    told = ", ".join([first, *rest[:3], *(["…"] if len(rest) > 3 else [])])
    metric = attribute(path)
    return FAULT.finding(
        f"{path} in {place(loader.key)}: its list {state!r} has {told} at the last batch; "
        "compute() at the end of the pass hangs",
        "# equally many updates on every rank (DistributedSampler pads), or pad by hand with\n"
        f"# empty items before {metric}.compute():\n"
        f"while len({metric}.{state}) < longest:\n    {metric}.{state}.append(torch.zeros(0))",
        key=path,
        ranks=lengths,
        pass_key=loader.key,
    )


RULE = Rule(FAULT, find)
