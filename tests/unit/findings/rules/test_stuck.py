"""DW401: dead, silent and blocked ranks, cases 24 and 48."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ddpwatch.findings.evidence import Ended
from ddpwatch.findings.rules.stuck import find
from tests.unit.findings.builders import (
    KEY,
    Progress,
    Pulse,
    evidence,
    info,
    loader_pass,
    nothing,
    state,
    taken,
    the_only,
)

TRAIN = KEY._replace(stage="train")
AT = {"stage": "validate", "epoch": 0, "step": 1}
IN_ALL_REDUCE = 'File "distributed_c10d.py", line 1, in all_reduce\n    work.wait()'


def test_first_exception_comes_first_whatever_the_ranks_number() -> None:
    ranks = (
        info(0, "failed", exception="RuntimeError: Connection closed by peer", **AT),
        info(1, "failed", exception="ValueError: boom\nmore", **AT),
    )
    ended = (Ended(1, 5.0, "ValueError: boom"), Ended(0, 5.5, "RuntimeError"))
    finding = the_only(find, evidence(ranks=ranks, ended=ended))
    assert (finding.code, finding.severity, finding.ranks) == ("DW401", "error", (0, 1))
    assert finding.message.startswith(
        "rank 1 (n0, pid 101) ended with ValueError: boom after batch 1 of validate epoch 0; "
        "then rank 0 with RuntimeError"
    )


def test_a_rank_killed_without_a_word_is_silent_and_the_other_waits() -> None:
    ranks = (
        info(0, hook="on_validation_batch_end", hook_for=12.0, **AT),
        info(1, "silent", silent_for=12.0, **AT),
    )
    finding = the_only(find, evidence(ranks=ranks))
    assert "rank 1 (n0, pid 101) silent for 12 s after batch 1" in finding.message
    assert "rank 0 has been in on_validation_batch_end for 12 s" in finding.message


def blocked(stack: str, seconds: float, **progress: Any) -> Any:
    ranks = (
        info(0, hook="on_train_batch_start", hook_for=seconds, stack=stack, **AT),
        info(1, hook="on_validation_epoch_end", hook_for=seconds, stack="in sleep", **AT),
    )
    known = {"stage": "train", "pass_": 0, "epoch": 0, "step": 1, **progress}
    return evidence(ranks=ranks, progress={0: Progress(**known)})


def test_a_rank_that_waits_for_one_that_does_not_come() -> None:
    finding = the_only(find, blocked(IN_ALL_REDUCE, 12.0))
    assert "rank 0 has been in on_train_batch_start for 12 s" in finding.message
    assert "rank 1 has been in on_validation_epoch_end for 12 s" in finding.message
    assert "work.wait()" in finding.fix


def test_slow_steps_long_hooks_and_checkpoints_are_no_block() -> None:
    assert nothing(find, blocked(IN_ALL_REDUCE, 9.0))
    assert nothing(find, blocked(IN_ALL_REDUCE, 12.0, step_time=4.0))
    assert nothing(find, blocked("in forward", 12.0))
    saving = blocked(IN_ALL_REDUCE, 12.0)
    ranks = (saving.ranks[0], replace(saving.ranks[1], stack="in save_checkpoint"))
    assert nothing(find, replace(saving, ranks=ranks))


def test_a_hang_in_log_is_left_to_the_rule_that_knows_its_key() -> None:
    hang = blocked(IN_ALL_REDUCE, 12.0)
    pulses = {0: Pulse(hook="on_train_batch_start", key="val_f1", since=12.0)}
    assert nothing(find, replace(hang, pulses=pulses))


def test_live_ended_and_briefly_silent_ranks_are_left_alone() -> None:
    assert nothing(find, evidence(ranks=(info(0), info(1))))
    assert nothing(find, evidence(ranks=(info(0, "ended"), info(1, "ended"))))
    assert nothing(find, evidence(ranks=(info(0), info(1, "silent", silent_for=4.0))))


def test_unequal_training_batches_are_told_before_the_shortest_ends() -> None:
    loader = loader_pass([state(key=TRAIN, steps=3), state(key=TRAIN, steps=2)], key=TRAIN)
    finding = the_only(find, evidence(taken(loaders=[loader], key=TRAIN)))
    assert "3 on rank 0, 2 on rank 1" in finding.message
    assert "limit_train_batches=2" in finding.fix


def test_unequal_validation_batches_hang_nothing_by_themselves() -> None:
    loader = loader_pass([state(steps=3), state(steps=2)])
    assert nothing(find, evidence(taken(loaders=[loader])))
