"""DW103: is an epoch's value of a ratio metric the mean of per-batch, or of running, values?"""

from __future__ import annotations

from collections.abc import Iterator

from ddpwatch.board.snapshot import Finding, LoggedRow, Row
from ddpwatch.findings.evidence import Evidence, LoaderPass, PassEvidence
from ddpwatch.findings.logged_rows import ended_values, epoch_rows, held_values
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.sameness import differs, disagree
from ddpwatch.findings.scores import is_off, named_score, score_of
from ddpwatch.findings.wording import attribute, each_rank, log_object, number, place
from ddpwatch.wire.messages import TrackedMetric

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
        for row in epoch_rows(taken):
            if _is_mean_of_calls(row, evidence.world_size) and is_off(row) and score_of(row, taken):
                yield _finding(row, taken)
        for loader in taken.loaders:
            yield from _averaged_states(loader, evidence)


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


def _averaged_states(loader: LoaderPass, evidence: Evidence) -> Iterator[Finding]:
    """Custom metrics whose state is itself a ratio, reduced by a mean over ranks."""
    if evidence.world_size < 2 or not loader.is_at_end(evidence.world_size):
        return
    for held in loader.held(min(loader.states)):
        ratio = _ratio_state(held.metric)
        if ratio:
            yield _state_finding(loader, held.metric, ratio)


def _ratio_state(metric: TrackedMetric) -> str:
    if metric.base or metric.shadow:
        return ""
    averaged = (spec.name for spec in metric.states if spec.reduction == "mean")
    return next((name for name in averaged if named_score(name)), "")


def _state_finding(loader: LoaderPass, metric: TrackedMetric, state: str) -> Finding:
    rows = loader.table.rows if loader.table is not None else ()
    score = named_score(state)
    truth = next((r for r in rows if r.key.score == score and r.label is None), None)
    told = ""
    if truth is not None and _is_apart(truth):
        values = {int(r): float(truth.values[r]) for r in truth.present.nonzero()[0]}
        told = (
            f": mean of ranks {number(truth.mean)}, over all ranks "
            f"{number(truth.global_)} ({each_rank(values)})"
        )
    short = metric.cls.rpartition(".")[2]
    return FAULT.finding(
        f"{metric.path} ({short}) averages its state {state!r} over ranks{told}",
        f"# in {short}.__init__: keep counts, which may be added up, and divide in compute()\n"
        'self.add_state("tp", torch.zeros(classes), dist_reduce_fx="sum")\n'
        'self.add_state("fp", torch.zeros(classes), dist_reduce_fx="sum")\n'
        'self.add_state("fn", torch.zeros(classes), dist_reduce_fx="sum")\n'
        f"# or use torchmetrics' own class for {attribute(metric.path)}",
        key=metric.path,
        pass_key=loader.key,
        why=WHY_STATES,
    )


def _is_apart(row: Row) -> bool:
    return row.mean is not None and row.global_ is not None and differs(row.mean, row.global_)


RULE = Rule(FAULT, find)
