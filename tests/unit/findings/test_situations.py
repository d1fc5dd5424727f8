"""From messages to findings through the real board: the numbers of known situations, and twins."""

from __future__ import annotations

from typing import Any

import pytest

from ddpwatch.board.board import Board
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.wire.messages import (
    Declare,
    Emitted,
    Event,
    Logged,
    LoggedKey,
    LoggerCall,
    Monitor,
    Progress,
    Pulse,
)
from ddpwatch.wire.stamped import Tick
from tests.unit.board.builders import FakeRank, counts, multiclass

A = (([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2]))
B = (([0, 0, 1, 1], [0, 1, 1, 1]), ([0, 1, 2, 2], [0, 0, 1, 2]))


class Job:
    """Two ranks that validate once: what each logged, and what its Lightning ended with."""

    def __init__(self, shards: Any = A, *monitors: Monitor, tracked: bool = True) -> None:
        self.diagnosis = Diagnosis()
        self.board = Board(diagnosis=self.diagnosis)
        self.ranks = [FakeRank(0), FakeRank(1)]
        metrics = (multiclass("val_f1"),) if tracked else ()
        for rank, shard in zip(self.ranks, shards, strict=True):
            self.board.fold([rank.hello()])
            self.board.fold([rank.say(Declare(version=1, metrics=metrics, monitors=monitors))])
            tensors = (counts(*shard),) if tracked else ()
            self.board.fold([rank.state(0, *tensors, final=True, samples=len(shard[0]))])

    def log(self, rank: int, *keys: tuple[LoggedKey, float], final: bool = True) -> None:
        """Say what a rank logged, each key with the value that its Lightning ended with."""
        body = Logged(
            stage="validate", pass_=0, epoch=0, step=0, declare=1, final=final,
            keys=tuple(key for key, _ in keys),
            emitted=tuple(
                Emitted(key=i, name=key.name, kind="epoch", value=value if final else None)
                for i, (key, value) in enumerate(keys)
            ),
        )  # fmt: skip
        self.board.fold([self.ranks[rank].say(body, journal=final)])

    def found(self) -> dict[str, str]:
        """Messages by code, without what is only worth knowing about samples and classes."""
        findings = self.diagnosis.conclude(self.board.runs["r"], self.board.now)
        return {f.code: f.message for f in findings if f.code not in ("DW203", "DW204")}


def tensor(mean: float, weight: float, name: str = "val_f1", **more: Any) -> LoggedKey:
    known = {"hook": "validation_step", "on_epoch": True, "calls": 1, "last": mean,
             "least": mean, "most": mean, **more}  # fmt: skip
    return LoggedKey(name=name, weighted_sum=mean * weight, weight=weight, total=mean, **known)


def test_case_1_function_logged_without_sync() -> None:
    job = Job()
    job.log(0, (tensor(0.8222222, 5), 0.8222222))
    job.log(1, (tensor(0.4444444, 4), 0.4444444))
    found = job.found()
    assert list(found) == ["DW101"]
    assert "0.8222" in found["DW101"]
    assert "over all ranks it is 0.6794" in found["DW101"]


@pytest.mark.parametrize(
    ("means", "calls", "logged"), [((0.7333333, 0.4444444), 1, 0.5888889), ((2 / 3, 1 / 3), 2, 0.5)]
)
def test_case_2_synced_average_for_any_batch_size(
    means: tuple[float, float], calls: int, logged: float
) -> None:
    job = Job(B)
    for rank, mean in enumerate(means):
        job.log(rank, (tensor(mean, 4, sync_dist=True, syncs=True, calls=calls), logged))
    found = job.found()
    assert list(found) == ["DW102"]
    assert "over all ranks it is 0.6349" in found["DW102"]


def test_case_3_inflated_and_averaged_are_two_faults() -> None:
    job = Job()
    for rank, (mean, weight) in enumerate(((0.8222222, 5), (0.4444444, 4))):
        job.log(rank, (tensor(mean, weight, sync_dist=True, syncs=True), 0.7361111))
    found = job.found()
    assert sorted(found) == ["DW102", "DW108"]
    assert "x1.125" in found["DW108"]


def test_case_3_of_a_loss_is_one_fault() -> None:
    job = Job(tracked=False)
    for rank, (mean, weight) in enumerate(((0.8222222, 5), (0.4444444, 4))):
        key = tensor(mean, weight, "val_loss", sync_dist=True, syncs=True)
        job.log(rank, (key, 0.7361111))
    assert list(job.found()) == ["DW108"]


def test_case_11_metric_object_is_right() -> None:
    job = Job()
    for rank in (0, 1):
        key = LoggedKey(
            hook="validation_step", name="val_f1", on_epoch=True, metric="val_f1", calls=1
        )
        job.log(rank, (key, 0.6793651))
    assert job.found() == {}


def test_case_12_what_the_object_returned_is_a_batch_mean() -> None:
    job = Job(B)
    for rank, mean in enumerate((2 / 3, 1 / 3)):
        job.log(rank, (tensor(mean, 4, calls=2, origin="forward:val_f1"), mean))
    found = job.found()
    assert list(found) == ["DW101"]
    assert "0.6667" in found["DW101"]
    assert "0.6349" in found["DW101"]


@pytest.mark.parametrize(
    ("more", "value", "codes"),
    [
        ({}, 0.6793651, []),
        ({"sync_dist": True, "syncs": True}, 0.6793651, ["DW104"]),
        ({"sync_dist": True, "syncs": True, "reduce_fx": "sum"}, 1.3587302, ["DW104"]),
    ],
)
def test_case_23_value_of_compute(more: dict[str, Any], value: float, codes: list[str]) -> None:
    job = Job()
    for rank in (0, 1):
        key = tensor(0.6793651, 1, hook="on_validation_epoch_end", origin="compute:val_f1", **more)
        job.log(rank, (key, value))
    assert list(job.found()) == codes


def test_case_4_keys_by_the_batchs_data() -> None:
    job = Job(tracked=False)
    job.log(0, (tensor(1.0, 1, "cls_0", sync_dist=True, syncs=True), 1.5))
    job.log(1, (tensor(2.0, 1, "cls_1", sync_dist=True, syncs=True), 1.5))
    assert list(job.found()) == ["DW106"]


def test_case_9_monitor_on_an_unsynced_loss_is_one_finding() -> None:
    job = Job(A, Monitor(kind="early_stopping", key="val_loss", mode="min"), tracked=False)
    job.log(0, (tensor(0.6, 4, "val_loss"), 0.6))
    job.log(1, (tensor(0.54, 4, "val_loss"), 0.54))
    found = job.found()
    assert list(found) == ["DW105"]
    assert "EarlyStopping" in found["DW105"]


def test_case_6_hang_in_log_is_found_while_it_lasts() -> None:
    job = Job(tracked=False)
    for rank, (hook, key) in zip(
        job.ranks,
        (("on_validation_epoch_end", "val_f1"), ("on_train_batch_start", "")),
        strict=True,
    ):
        body = Progress(stage="validate", pass_=0, epoch=0, step=3)
        job.board.fold([rank.say(body, 8.0, journal=False)])
        job.board.fold([rank.say(Pulse(hook=hook, key=key, since=7.0), 8.0, journal=False)])
    found = job.found()
    assert list(found) == ["DW106"]
    assert (
        "rank 0 has been in self.log('val_f1', …) in on_validation_epoch_end for 7 s"
        in (found["DW106"])
    )


def test_thrown_away_calls_come_from_the_boards_rows() -> None:
    job = Job(tracked=False)
    for rank in (0, 1):
        call = LoggerCall(
            logger="TensorBoardLogger", method="add_scalar", name="f1/even", value=0.5,
            written=rank == 0, stage="validate", hook="on_validation_epoch_end",
        )  # fmt: skip
        job.board.fold([job.ranks[rank].say(call, journal=False)])
    assert list(job.found()) == ["DW107"]


def test_case_48_dead_rank_is_named_when_it_has_been_silent_long_enough() -> None:
    job = Job(tracked=False)
    job.board.fold([job.ranks[0].say(Event(kind="note", at=12.0), 12.0), Tick(12.0)])
    assert "rank 1 (n0, pid 101) silent for 12 s" in job.found()["DW401"]


def test_codes_stand_beside_the_key_and_its_row() -> None:
    from ddpwatch.board.snapshot import View

    job = Job()
    job.log(0, (tensor(0.8222222, 5), 0.8222222))
    job.log(1, (tensor(0.4444444, 4), 0.4444444))
    run = job.board.snapshot(View()).run
    assert run is not None
    assert run.logged is not None
    assert run.table is not None
    assert run.logged.rows[0].codes == ("DW101",)
    assert "DW101" in run.table.rows[0].codes
