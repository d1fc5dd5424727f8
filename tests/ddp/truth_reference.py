"""Do we agree with the torchmetrics that is importable here? One process stands in for all ranks.

`python -m tests.ddp.truth_reference COUNT` checks that many cases and prints what came out, so that
another version can be asked in a process of its own.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torchmetrics
from torchmetrics import Metric

from ddpwatch.metrics.evaluate import evaluate_ranks
from ddpwatch.metrics.values import RankEvaluation
from tests.ddp import truth_cases as cases


def check(count: int, first: int = 0) -> dict[str, Any]:
    """Check `count` cases of 1 to 4 ranks.

    Returns the version, how often each class was seen, the misfits, and the cases that this
    torchmetrics cannot update itself (1.6.2 fails on `top_k` with a batch of one).
    """
    seen: dict[str, int] = {}
    misfits: list[str] = []
    refused: list[str] = []
    for seed in range(first, first + count):
        world_size = 1 + seed % 4
        case = cases.draw(seed, world_size)
        try:
            metrics = _fed(case, world_size)
        except (IndexError, RuntimeError) as error:
            refused.append(f"{case}: {error!r}")
            continue
        seen[case.cls] = seen.get(case.cls, 0) + 1
        misfits += (f"{case}: {misfit}" for misfit in disagreements(case, metrics))
    version = torchmetrics.__version__
    return {"version": version, "seen": seen, "misfits": misfits, "refused": refused}


def _fed(case: cases.Case, world_size: int) -> list[Metric]:
    metrics = [cases.build(case) for _ in range(world_size)]
    for rank, metric in enumerate(metrics):
        cases.feed(metric, case, rank)
    return metrics


def disagreements(case: cases.Case, metrics: Sequence[Metric]) -> Iterator[str]:
    """Yield every value of one case that differs from torchmetrics' own."""
    result = evaluate_all(metrics)
    if case.kwargs.get("multidim_average") == "samplewise":
        if result.local.scores or "samplewise" not in result.local.reason:
            yield f"samplewise: {result.local}"
        return
    ours = cases.own(result.local)
    for rank, metric in enumerate(metrics):
        theirs = cases.compute(metric, sync=False)
        if not cases.agree(ours[rank], theirs):
            yield f"rank {rank}: {ours[rank]} is not {theirs}"
    together, theirs = cases.own(result.global_)[0], synchronised(metrics)
    if not cases.agree(together, theirs):
        yield f"global: {together} is not {theirs}"


def evaluate_all(metrics: Sequence[Metric]) -> RankEvaluation:
    """Evaluate these ranks as the board does."""
    states = [cases.arrays(metric) for metric in metrics]
    return evaluate_ranks(cases.track(metrics[0]), states, cases.VERSIONS)


def synchronised(metrics: Sequence[Metric]) -> Any:
    """Let the first metric synchronise by torchmetrics' own code, with the others as its peers."""
    first = metrics[0]
    first.dist_sync_fn = _gathering(metrics)
    first.distributed_available_fn = lambda: True
    value = cases.compute(first, sync=True)
    first.dist_sync_fn = None
    return value


def _gathering(metrics: Sequence[Metric]) -> Callable[..., list[torch.Tensor]]:
    names = iter(list(metrics[0]._defaults))

    def gather(mine: torch.Tensor, group: object = None) -> list[torch.Tensor]:
        name = next(names)
        return [mine, *(getattr(metric, name) for metric in metrics[1:])]

    return gather


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(check(int(sys.argv[1]))))
