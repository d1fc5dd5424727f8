"""Whose updates are in a training epoch that has a validation inside?"""

from __future__ import annotations

from typing import Any

from ddpwatch.board.board import Board
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.wire.messages import Declare, MetricState, State
from tests.unit.board.builders import FakeRank, counts, multiclass

TENSORS = counts([0, 1, 2], [0, 1, 2])


class Job:
    """One rank that trains and validates; says what one metric holds after each moment."""

    def __init__(self) -> None:
        self.diagnosis, self.board = Diagnosis(), Board()
        self.rank = FakeRank(0, world_size=1)
        self.board.fold(
            [self.rank.hello(), self.rank.say(Declare(version=1, metrics=(multiclass("f1"),)))]
        )

    def say(
        self, stage: Any, number: int, step: int, updates: int, fresh: int, *, final: bool = False
    ) -> None:
        held = MetricState(metric=0, updates=updates, fresh=fresh, states=TENSORS)
        body = State(
            stage=stage, pass_=number, epoch=number, step=step, steps=2, declare=1, final=final,
            global_step=2 * number + (step + 1 if stage == "train" else 2), metrics=(held,),
        )  # fmt: skip
        self.board.fold([self.rank.say(body, journal=final)])

    def codes(self) -> list[str]:
        run = self.board.runs["r"]
        return [each.code for each in self.diagnosis.conclude(run, self.board.now)]


def validated_only(job: Job, *, reset: bool) -> None:
    """Training does not touch the metric; validation updates it twice each epoch."""
    for number in range(3):
        before = 0 if reset else 2 * number
        job.say("train", number, 0, before, 0)
        job.say("train", number, 1, before, 0)
        job.say("validate", number, 1, before + 2, 2, final=True)
        job.say("train", number, 1, before + 2, 2, final=True)


def test_validation_inside_of_training_is_no_use_in_training() -> None:
    job = Job()
    validated_only(job, reset=False)
    assert job.codes() == ["DW301"]
    right = Job()
    validated_only(right, reset=True)
    assert right.codes() == []


def test_one_metric_for_both_is_told_from_it() -> None:
    job = Job()
    job.say("train", 0, 0, 1, 1)
    assert job.codes() == []
    job.say("train", 0, 1, 2, 2)
    job.say("validate", 0, 1, 4, 2, final=True)
    job.say("train", 0, 1, 0, 2, final=True)
    assert job.codes() == ["DW304", "DW304"]


def test_a_train_metric_and_no_validation_is_its_own() -> None:
    job = Job()
    job.say("train", 0, 1, 2, 2, final=True)
    job.say("train", 1, 1, 4, 2, final=True)
    assert job.codes() == ["DW301"]
