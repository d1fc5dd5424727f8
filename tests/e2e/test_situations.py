"""Are local, mean and global right in the situations that people really hit?

Every test trains with real gloo processes, a metric object beside the code under suspicion, and
reads the report. Numbers were computed by hand or with torchmetrics over the pooled data.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.ddp.ranks import Ended
from tests.e2e.watched import epochs, row, watch

pytestmark = pytest.mark.ddp

# Predictions and labels of three classes on two ranks.
SET_A = (([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2]))
SET_B = (([0, 0, 1, 1], [0, 1, 1, 1]), ([0, 1, 2, 2], [0, 0, 1, 2]))


def toy(plan: dict[str, Any]) -> list[float]:
    """Import the heavy part in the rank only."""
    from tests.e2e.toy import Plan, run

    return run(Plan(**plan))


def watched(may_fail: bool = False, **plan: Any) -> tuple[dict[str, Any], list[Ended]]:
    world = len(plan["shards"])
    return watch(toy, world, plan, may_fail=may_fail, distributed=world > 1)


def validated(**plan: Any) -> tuple[dict[str, Any], list[Ended]]:
    """The F1 row of the only validation, and how the ranks ended."""
    report, ended = watched(**plan)
    (epoch,) = epochs(report, "validate")
    assert epoch["final"]
    return row(epoch, "val_f1"), ended


def test_plain_value_of_one_batch_per_rank() -> None:
    """Every rank logs its own F1; only rank 0's is seen. The whole set's is another."""
    report, ended = watched(shards=SET_A, batch_size=5, sync_dist=False)
    (epoch,) = epochs(report, "validate")
    f1 = row(epoch, "val_f1")
    assert f1["ranks"] == pytest.approx([0.8222, 0.4444], abs=1e-4)
    assert f1["mean_of_ranks"] == pytest.approx(0.6333, abs=1e-4)
    assert f1["global"] == pytest.approx(0.6794, abs=1e-4)
    assert f1["samples"] == [5, 4]
    assert [each.result[0] for each in ended] == pytest.approx([f1["global"]] * 2, abs=1e-6)
    derived = [row(epoch, "val_f1", score)["global"] for score in ("precision", "recall")]
    assert derived == pytest.approx([0.6667, 0.7222], abs=1e-4)


@pytest.mark.parametrize("batch_size", [4, 2])
def test_global_value_does_not_depend_on_the_batch_size(batch_size: int) -> None:
    f1, _ = validated(shards=SET_B, batch_size=batch_size, sync_dist=True)
    assert f1["ranks"] == pytest.approx([0.7333, 0.4444], abs=1e-4)
    assert f1["mean_of_ranks"] == pytest.approx(0.5889, abs=1e-4)
    assert f1["global"] == pytest.approx(0.6349, abs=1e-4)


def test_metric_object_logged_at_step_and_epoch() -> None:
    f1, _ = validated(shards=SET_A, batch_size=5, use="object")
    assert f1["ranks"] == pytest.approx([0.8222, 0.4444], abs=1e-4)
    assert f1["global"] == pytest.approx(0.6794, abs=1e-4)


def test_return_value_of_forward_logged_per_batch() -> None:
    f1, _ = validated(shards=SET_B, batch_size=2, use="forward")
    assert f1["global"] == pytest.approx(0.6349, abs=1e-4)


def test_padded_sample_is_counted_as_the_ranks_count_it() -> None:
    """Five samples on two ranks: the sampler hands out the first one twice."""
    shards = (([1, 1, 0], [0, 1, 1]), ([0, 1, 1], [0, 1, 0]))
    f1, _ = validated(shards=shards, batch_size=3, binary=True)
    assert f1["samples"] == [3, 3]
    assert f1["global"] == pytest.approx(0.5714, abs=1e-4)


def test_ranks_with_different_numbers_of_batches() -> None:
    shards = (([0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2]))
    f1, ended = validated(shards=shards, batch_size=2)
    assert f1["samples"] == [6, 4]
    assert f1["global"] == pytest.approx(ended[0].result[0], abs=1e-6)


def test_classes_absent_on_a_rank_and_a_rank_without_samples() -> None:
    """A class that is on one rank only counts there and over all, and nowhere else."""
    shards = (([0, 0, 1], [0, 1, 1]), ([2, 2], [2, 2]), ([0], [-1]))
    f1, ended = validated(shards=shards)
    assert f1["ranks"][:2] == pytest.approx([0.6667, 1.0], abs=1e-4)
    assert f1["ranks"][2] is None
    assert f1["samples"] == [3, 2, 0]
    assert f1["global"] == pytest.approx(ended[0].result[0], abs=1e-6)


def test_metric_that_is_never_reset_shows_what_it_has_accumulated() -> None:
    shards = (([0, 0, 0, 1], [1] * 4),) * 2
    report, ended = watched(
        shards=shards, fit=True, reset=False, binary=True,
        trainer={"max_epochs": 3, "num_sanity_val_steps": 1},
    )  # fmt: skip
    assert [row(e, "val_f1")["samples"] for e in epochs(report, "sanity_check")] == [[2, 2]]
    passes = epochs(report, "validate")
    assert [row(e, "val_f1")["samples"] for e in passes] == [[6, 6], [10, 10], [14, 14]]
    in_training = [m for e in epochs(report, "train") for m in e["metrics"]]
    assert in_training == [], "validation runs within training, and counts for itself"
    shown = [row(e, "val_f1")["global"] for e in passes]
    assert shown == pytest.approx(ended[0].result[1:], abs=1e-6)


def test_rank_that_raises_is_named_and_the_last_shared_step_is_kept() -> None:
    report, ended = watched(may_fail=True, shards=SET_B, batch_size=1, raise_on=1)
    assert ended[1].exitcode != 0
    assert report["run"]["ranks"][1]["status"] == "failed"
    (epoch,) = epochs(report, "validate")
    assert (epoch["final"], epoch["step"]) == (False, 0)
    assert row(epoch, "val_f1")["samples"] == [1, 1]


def test_rank_that_is_killed_leaves_its_last_step() -> None:
    report, ended = watched(may_fail=True, shards=SET_B, batch_size=1, die_on=1)
    assert ended[1].exitcode == 9
    (epoch,) = epochs(report, "validate")
    assert not epoch["final"]
    assert row(epoch, "val_f1")["ranks"][0] is not None


def test_one_trainer_used_twice_is_one_run_with_two_passes() -> None:
    report, _ = watched(shards=SET_B, calls=2)
    passes = epochs(report, "validate")
    assert [epoch["pass"] for epoch in passes] == [0, 1]
    assert [row(e, "val_f1")["global"] for e in passes] == pytest.approx([0.6349] * 2, abs=1e-4)


def test_single_process_without_a_launcher() -> None:
    report, _ = watched(shards=SET_B[:1])
    f1 = row(epochs(report, "validate")[0], "val_f1")
    assert report["run"]["world_size"] == 1
    assert f1["ranks"] == pytest.approx([f1["global"]])
    assert f1["global"] == pytest.approx(0.7333, abs=1e-4)
