"""Are ranks and the whole world evaluated at once, and is nothing that a rank sends fatal?"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from ddpwatch.metrics import correlation
from ddpwatch.metrics.evaluate import evaluate, evaluate_ranks, reduce_states, stack_states
from ddpwatch.wire.messages import ListSize, StateSpec, TrackedMetric
from tests.unit.metrics.declared import (
    COUNTS,
    DATA_A,
    DATA_B,
    NEWEST,
    confusion,
    counts,
    metric,
    score,
)

F1 = metric("torchmetrics.classification.f_beta.MulticlassF1Score", num_classes=3)


@pytest.mark.parametrize(
    ("data", "name", "ranks", "world"),
    [
        (DATA_A, "f1", [0.8222, 0.4444], 0.6794),
        (DATA_A, "precision", [0.8333, 0.5], 0.6667),
        (DATA_A, "recall", [0.8889, 0.5], 0.7222),
        (DATA_B, "f1", [0.7333, 0.4444], 0.6349),
        (DATA_B, "precision", [0.75, 0.5], 0.6111),
        (DATA_B, "recall", [0.8333, 0.5], 0.7222),
    ],
)
def test_ranks_and_world_of_known_data(data, name, ranks, world):
    result = evaluate_ranks(F1, data, NEWEST)
    assert np.allclose(score(result.local, name).values, ranks, atol=5e-5)
    assert np.allclose(score(result.global_, name).values, [world], atol=5e-5)


def test_samples_are_counted_per_rank_and_for_the_world():
    result = evaluate_ranks(F1, DATA_A, NEWEST)
    assert result.local.samples.tolist() == [5, 4]
    assert result.global_.samples.tolist() == [9]


def test_a_sample_repeated_by_padding_shows_in_the_samples():
    """Five samples on two ranks: a false positive is seen twice."""
    f1, accuracy = metric("BinaryF1Score"), metric("BinaryAccuracy")
    states = [counts(1, 1, 1, 0), counts(1, 1, 0, 1)]
    world = evaluate_ranks(f1, states, NEWEST).global_
    assert world.samples.tolist() == [6]
    assert np.allclose(score(world, "f1").values, 4 / 7)
    world = evaluate_ranks(accuracy, states, NEWEST).global_
    assert np.allclose(score(world, "accuracy").values, 0.5)


def test_the_two_halves_are_stack_reduce_and_evaluate():
    stacked = stack_states(F1, DATA_A)
    world = evaluate(F1, reduce_states(F1, stacked), NEWEST)
    ours = evaluate_ranks(F1, DATA_A, NEWEST).global_
    assert [s.values.tolist() for s in world.scores] == [s.values.tolist() for s in ours.scores]


def test_no_ranks_are_no_values():
    result = evaluate_ranks(F1, [], NEWEST)
    assert result.local.scores == result.global_.scores == ()
    assert result.global_.reason == "no rank has updated this metric"


def test_an_aggregator_has_one_score_and_cannot_tell_samples():
    mean = metric("torchmetrics.aggregation.MeanMetric", ("mean_value", "weight"))
    states = [[np.array(v, np.float32), np.array(w, np.float32)] for v, w in [(6, 6), (8, 4)]]
    result = evaluate_ranks(mean, states, NEWEST)
    assert score(result.local, "mean").values.tolist() == [1.0, 2.0]
    assert np.allclose(score(result.global_, "mean").values, 1.4)
    assert result.local.samples is None


@pytest.mark.parametrize(("kind", "world"), [("max", 5.0), ("min", -3.0), ("sum", 2.0)])
def test_extremes_and_sums(kind, world):
    tracked = metric(f"{kind.title()}Metric", (f"{kind}_value",), reduction=kind)
    states = [[np.array(v, np.float32)] for v in (-3.0, 5.0)]
    assert score(evaluate_ranks(tracked, states, NEWEST).global_, kind).values.tolist() == [world]


def test_exact_match_counts_its_samples():
    exact = metric("MultilabelExactMatch", ("correct", "total"), num_labels=3)
    states = [[np.array([3]), np.array([4])], [np.array([0]), np.array([2])]]
    result = evaluate_ranks(exact, states, NEWEST)
    assert score(result.global_, "exact_match").values.tolist() == [0.5]
    assert result.local.samples.tolist() == [4, 2]


def test_an_unreducible_state_leaves_the_ranks_their_values():
    odd = metric("MulticlassF1Score", reduction="custom", num_classes=3)
    result = evaluate_ranks(odd, DATA_A, NEWEST)
    assert np.allclose(score(result.local, "f1").values, [0.8222, 0.4444], atol=5e-5)
    assert result.global_.scores == ()
    assert "'custom'" in result.global_.reason


def test_a_mean_over_ranks_needs_all_of_them():
    tracked = metric("SumMetric", ("sum_value",), reduction="mean")
    states = [[np.array(2.0, np.float32)], [np.array(4.0, np.float32)]]
    assert score(evaluate_ranks(tracked, states, NEWEST).global_, "sum").values.tolist() == [3.0]
    partial = evaluate_ranks(tracked, states, NEWEST, complete=False)
    assert score(partial.local, "sum").values.tolist() == [2.0, 4.0]
    assert (
        partial.global_.reason == "state sum_value is averaged: expected all ranks, got only some"
    )


def test_list_states_need_not_be_arrays():
    spec = StateSpec(name="preds", reduction="cat", is_list=True)
    auroc = TrackedMetric(path="m", cls="BinaryAUROC", base="BinaryAUROC", states=(spec,))
    result = evaluate_ranks(auroc, [[ListSize(3, 12)]], NEWEST)
    assert "lists are not sent" in result.local.reason


COUNT = st.integers(0, 10_000)
RANKS = st.lists(arrays(np.int64, (4, 3), elements=COUNT), min_size=1, max_size=6)
OWNERS = [
    metric(f"Multiclass{kind}", num_classes=3, average=average)
    for kind in ("F1Score", "Accuracy", "Specificity", "StatScores")
    for average in ("macro", "weighted", "none")
]


def flat(evaluation):
    return np.concatenate([s.values.reshape(len(s.values), -1) for s in evaluation.scores], axis=1)


def same(ours, theirs):
    return np.array_equal(ours, theirs, equal_nan=True)


@given(st.sampled_from(OWNERS), RANKS)
def test_the_world_is_one_rank_that_saw_everything(owner, ranks):
    split = evaluate_ranks(owner, [list(rank) for rank in ranks], NEWEST)
    whole = evaluate_ranks(owner, [list(sum(ranks))], NEWEST)
    assert same(flat(split.global_), flat(whole.local))
    assert split.global_.samples.tolist() == whole.local.samples.tolist()


@given(st.sampled_from(OWNERS), RANKS, st.randoms(use_true_random=False))
def test_the_order_of_ranks_changes_nothing(owner, ranks, random):
    order = list(range(len(ranks)))
    random.shuffle(order)
    once = evaluate_ranks(owner, [list(rank) for rank in ranks], NEWEST)
    again = evaluate_ranks(owner, [list(ranks[i]) for i in order], NEWEST)
    assert same(flat(once.global_), flat(again.global_))
    assert same(flat(once.local)[order], flat(again.local))


@given(st.sampled_from(OWNERS), RANKS)
def test_a_rank_without_samples_changes_no_global_value(owner, ranks):
    states = [list(rank) for rank in ranks]
    empty = [np.zeros(3, np.int64)] * 4
    once = evaluate_ranks(owner, states, NEWEST)
    again = evaluate_ranks(owner, [*states, empty], NEWEST)
    assert same(flat(once.global_), flat(again.global_))
    assert again.local.samples[-1] == 0


NAMES = [
    *(f"{task}{kind}" for task in ("Binary", "Multiclass", "Multilabel") for kind in (
        "F1Score", "StatScores", "Accuracy", "JaccardIndex", "ConfusionMatrix", "CohenKappa",
        "MatthewsCorrCoef", "ExactMatch", "FBetaScore", "AUROC", "AveragePrecision", "ROC",
        "HingeLoss"
    )),
    "MeanMetric", "MaxMetric", "BLEUScore", "", "x.y.z", "MeanSquaredError", "KLDivergence",
    "PearsonCorrCoef", "ConcordanceCorrCoef", "R2Score", "RelativeSquaredError",
]  # fmt: skip
ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=5),
    st.sampled_from(["macro", "micro", "weighted", "none", "true", "all", "linear", "nan", 1, 2]),
    st.lists(st.integers(), max_size=2), st.dictionaries(st.text(), st.none(), max_size=1),
)  # fmt: skip
PARAMS = st.dictionaries(
    st.sampled_from(
        ["average", "num_classes", "num_labels", "top_k", "beta", "zero_division", "normalize",
         "weights", "ignore_index", "multidim_average", "thresholds", "max_fpr", "squared",
         "multioutput", "adjusted"]
    ),
    ANYTHING,
    max_size=4,
)  # fmt: skip
SHAPES = st.one_of(
    st.sampled_from(
        [(), (1,), (2,), (3,), (2, 2), (3, 3), (2, 2, 2), (0,), (3, 2, 2), (3, 3, 2, 2)]
    ),
    array_shapes(max_dims=3, max_side=3),
)
DTYPES = st.sampled_from(["int64", "float32", "float16", "bool", "uint8", "complex64", "U2"])
STATES = {
    "counts": COUNTS,
    "confmat": ("confmat",),
    "mean": ("mean_value", "weight"),
    "exact": ("correct", "total"),
    "max": ("max_value",),
    "twice": ("tp", "tp", "confmat"),
    "squares": ("sum_squared_error", "total"),
    "spread": ("sum_squared_error", "sum_error", "residual", "total"),
    "measures": ("measures", "total"),
    "moments": correlation.NAMES,
    "more": (*correlation.NAMES, "tp"),
}


@given(st.data(), st.sampled_from(NAMES), PARAMS, st.sampled_from(list(STATES.values())))
def test_whatever_a_rank_sends_is_a_value_or_a_reason(data, base, params, names):
    reduction = data.draw(st.sampled_from(["sum", "mean", "max", "min", "cat", "none", "custom"]))
    tracked = metric(base, names, reduction=reduction, **params)
    shape, dtype = data.draw(SHAPES), data.draw(DTYPES)
    ranks = data.draw(st.integers(0, 3))
    one = arrays(dtype, shape)
    states = [[data.draw(one) for _ in names] for _ in range(ranks)]
    result = evaluate_ranks(tracked, states, {"torchmetrics": data.draw(st.text(max_size=6))})
    for part, length in ((result.local, ranks), (result.global_, 1)):
        assert part.scores or part.reason
        assert all(s.values.shape[0] == length for s in part.scores)
        assert all(s.values.dtype == np.float64 for s in part.scores)
    alone = evaluate(tracked, dict(zip(names, states[0], strict=True)) if states else {}, NEWEST)
    assert alone.scores or alone.reason


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ([counts([1, -1, 0], [0] * 3, [0] * 3, [0] * 3)], "counts of 0 or more, got -1"),
        ([counts([2**62] * 3, [0] * 3, [0] * 3, [0] * 3)], "counts of .* or less"),
        ([counts([1] * 4, [0] * 4, [0] * 4, [0] * 4)], r"expected \(3,\), got \(4,\)"),
        ([DATA_A[0], counts([1] * 4, [0] * 4, [0] * 4, [0] * 4)], "one shape and dtype"),
        ([DATA_A[0][:3]], "expected 4 states from every rank"),
    ],
)
def test_hostile_states_are_refused_in_words(states, words):
    result = evaluate_ranks(F1, states, NEWEST)
    for part in (result.local, result.global_):
        assert part.scores == ()
        assert re.search(words, part.reason)


def test_not_a_number_in_a_float_state_stays_with_its_rank():
    states = [[part.astype(np.float32) for part in rank] for rank in DATA_A]
    states[1][0][0] = math.nan
    result = evaluate_ranks(F1, states, NEWEST)
    assert np.allclose(score(result.local, "f1").values[0], 0.8222, atol=5e-5)
    assert np.isnan(score(result.local, "f1").values[1])
    assert result.local.samples.tolist() == [5, -1]
    assert np.isnan(score(result.global_, "f1").values).all()


def test_an_old_version_of_the_ranks_decides():
    """A class predicted among the top 2 but without targets: left out since 1.3.2."""
    precision = metric("MulticlassPrecision", num_classes=3, top_k=2)
    states = [counts([1, 1, 0], [0, 1, 2], [0] * 3, [0] * 3)]
    new = evaluate_ranks(precision, states, {"torchmetrics": "1.3.2"}).global_
    old = evaluate_ranks(precision, states, {"torchmetrics": "1.3.1"}).global_
    assert score(new, "precision").values.tolist() == [0.75]
    assert score(old, "precision").values.tolist() == [0.5]


def test_too_large_a_matrix_keeps_its_derived_scores():
    many = confusion("MulticlassConfusionMatrix", num_classes=30)
    result = evaluate_ranks(many, [[np.eye(30, dtype=np.int64)]], NEWEST)
    assert "900 cells" in result.global_.reason
    assert score(result.global_, "f1").values.tolist() == [1.0]
