"""DW103: is an epoch's value of a ratio metric the mean of per-batch, or of running, values?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ddpwatch.board.snapshot import Finding, LoggedRow
from ddpwatch.findings.averaged_states import AveragedRatio, averaged_ratios
from ddpwatch.findings.evidence import Evidence, LoaderPass, PassEvidence
from ddpwatch.findings.logged_rows import ended_rows, ended_values, held_values
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.sameness import disagree
from ddpwatch.findings.scores import is_off, score_of
from ddpwatch.findings.wording import attribute, each_rank, log_object, number, place

FAULT = Fault(
    code="DW103",
    severity="warning",
    title="epoch value is a mean of per-batch (or of running) values of a ratio metric",
    why=(
        "Lightning averages what `self.log` is given over the batches of an epoch. The mean of "
        "the F1 of batches is not the F1 of the epoch, on one GPU as on many."
    ),
)
WHY_STATES = (
    "The metric keeps a ratio and averages it over ranks. It is reduced by torchmetrics and the "
    "same on all ranks, and yet a mean of ratios. Only counts may be added up."
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield epoch values that are means of ratios although the ranks do not contradict each other.

    Where they do, the value is a rank's own (DW101); where they are synced, an average (DW102).
    """
    for taken in evidence.passes:
        for row in ended_rows(taken):
            if _is_mean_of_calls(row, evidence.world_size) and is_off(row) and score_of(row, taken):
                yield _finding(row, taken)
        for loader in taken.loaders:
            yield from _averaged(loader, evidence)


def _is_mean_of_calls(row: LoggedRow, world_size: int) -> bool:
    if row.source.startswith("metric ") or row.rank_zero_only or row.reduce_fx != "mean":
        return False
    if not row.called.any() or int(row.calls.max()) < 2:
        return False
    if world_size == 1:
        return True
    return not row.sync_dist and not disagree(held_values(row).values())


def _finding(row: LoggedRow, taken: PassEvidence) -> Finding:
    value = next(iter(ended_values(row).values()))
    running = "running" if row.source.startswith("compute of ") else "per-batch"
    metric = row.metric.metric if row.metric is not None else ""
    return FAULT.finding(
        f"{row.id.name} in {place(taken.key)} is {number(value)}, the mean of "
        f"{int(row.calls.max())} {running} values; over the whole epoch it is "
        f"{number(row.global_)}",
        log_object(row, metric),
        key=row.id.name,
        ranks=held_values(row),
        pass_key=taken.key._replace(dataloader=max(row.id.dataloader, 0)),
    )


def _averaged(loader: LoaderPass, evidence: Evidence) -> Iterator[Finding]:
    """Custom metrics whose state is itself a ratio, reduced by a mean over ranks."""
    if evidence.world_size < 2 or not loader.is_at_end(evidence.world_size):
        return
    for found in averaged_ratios(loader):
        yield _state_finding(loader, found, evidence.newest_rows.values())


def _state_finding(
    loader: LoaderPass, found: AveragedRatio, logged: Iterable[LoggedRow]
) -> Finding:
    metric, truth = found.metric, found.truth
    if truth is not None:
        values = {int(r): float(truth.values[r]) for r in truth.present.nonzero()[0]}
        told = (
            f": mean of ranks {number(truth.mean)}, over all ranks {number(truth.global_)} "
            f"({each_rank(values)})"
        )
    else:
        told = f": {each_rank(found.values)}" if found.values else ""
    ended = (
        list(ended_values(row).values()) for row in logged if row.source == f"metric {metric.path}"
    )
    told += "".join(f"; logged as {number(values[0])}" for values in ended if values)
    short = metric.cls.rpartition(".")[2]
    return FAULT.finding(
        f"{metric.path} ({short}) averages its state {found.state!r} over ranks{told}",
        f"# in {short}.__init__: keep counts, which may be added up, and divide in compute()\n"
        'self.add_state("tp", torch.zeros(classes), dist_reduce_fx="sum")\n'
        'self.add_state("fp", torch.zeros(classes), dist_reduce_fx="sum")\n'
        'self.add_state("fn", torch.zeros(classes), dist_reduce_fx="sum")\n'
        f"# or use torchmetrics' own class for {attribute(metric.path)}",
        key=metric.path,
        pass_key=loader.key,
        why=WHY_STATES,
    )


RULE = Rule(FAULT, find)
