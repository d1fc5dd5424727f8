"""What do the states of one metric say, on every rank and over all of them?

The reference is torchmetrics, in the version that the ranks run: local values equal its
unsynchronised `compute()`, the global value its synchronised one. Nothing here loops over ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ddpwatch.errors import StateError
from ddpwatch.metrics import fallback
from ddpwatch.metrics.families import evaluate_known
from ddpwatch.metrics.known import identify
from ddpwatch.metrics.reasons import why_unknown
from ddpwatch.metrics.reduce import reduce_states, stack_states
from ddpwatch.metrics.rules import rules_of
from ddpwatch.metrics.states import Numbers, Stacked, check_lengths
from ddpwatch.metrics.values import Evaluation, RankEvaluation, Score
from ddpwatch.wire.messages import ListSize, TrackedMetric

__all__ = ["evaluate", "evaluate_ranks", "reduce_states", "stack_states"]


def evaluate(metric: TrackedMetric, stacked: Stacked, versions: Mapping[str, str]) -> Evaluation:
    """Return all scores of N states at once, from arrays (N, ...) by state name.

    Never raises for what a rank may send: whatever does not fit becomes the `reason`.
    """
    known = identify(metric.base)
    reason = why_unknown(metric, versions)
    if reason:
        return Evaluation(reason=reason)
    try:
        check_lengths(stacked)
        if known is None:
            return fallback.ask(metric, stacked)
        with np.errstate(all="ignore"):
            return evaluate_known(known, metric, stacked, rules_of(versions))
    except StateError as error:
        return Evaluation(reason=str(error))


def evaluate_ranks(
    metric: TrackedMetric,
    states: Sequence[Sequence[Numbers | ListSize]],
    versions: Mapping[str, str],
    *,
    complete: bool = True,
) -> RankEvaluation:
    """Return the scores of each rank and of their reduced states.

    Args:
        metric: what the ranks declared.
        states: of each rank that has updated the metric, in the order of `metric.states`.
        versions: the ranks' package versions, by name.
        complete: whether `states` has every rank of the world. A rank without updates changes no
            sum, maximum or minimum, but it does take part in a mean.
    """
    reason = why_unknown(metric, versions) or ("" if states else "no rank has updated this metric")
    if reason:
        return RankEvaluation(Evaluation(reason=reason), Evaluation(reason=reason))
    try:
        stacked = stack_states(metric, states)
    except StateError as error:
        return RankEvaluation(Evaluation(reason=str(error)), Evaluation(reason=str(error)))
    try:
        reduced = _reduced(metric, stacked, complete=complete)
    except StateError as error:
        return RankEvaluation(evaluate(metric, stacked, versions), Evaluation(reason=str(error)))
    everyone = {name: np.concatenate([stacked[name], reduced[name]]) for name in stacked}
    whole_world = evaluate(metric, everyone, versions)
    ranks = len(states)
    return RankEvaluation(
        _part(whole_world, slice(None, ranks)), _part(whole_world, slice(ranks, None))
    )


def _reduced(metric: TrackedMetric, stacked: Stacked, *, complete: bool) -> dict[str, Numbers]:
    means = [spec.name for spec in metric.states if spec.reduction == "mean"]
    if means and not complete:
        raise StateError(f"state {means[0]} is averaged: expected all ranks, got only some")
    return reduce_states(metric, stacked)


def _part(evaluation: Evaluation, rows: slice) -> Evaluation:
    return Evaluation(
        scores=tuple(
            Score(score.name, score.average, score.own, score.values[rows], score.labels)
            for score in evaluation.scores
        ),
        samples=None if evaluation.samples is None else evaluation.samples[rows],
        reason=evaluation.reason,
    )
