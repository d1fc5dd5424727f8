"""DW106: other keys, another order, hangs in `self.log`: cases 4, 6, 24 and 31."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddpwatch.findings.rules.different_keys import find
from tests.unit.findings.builders import (
    KEY,
    Progress,
    Pulse,
    declared,
    evidence,
    info,
    loader_pass,
    logged_key,
    metric,
    nothing,
    said,
    state,
    taken,
    the_only,
)

SYNCED = {"sync_dist": True, "syncs": True}


def test_keys_that_depend_on_the_batch_are_named_with_their_ranks() -> None:
    words = [said(logged_key("cls_0", **SYNCED)), said(logged_key("cls_1", **SYNCED))]
    first, second = find(evidence(taken(words=words)))
    assert (first.code, first.severity) == ("DW106", "error")
    assert "cls_0 is logged in validation_step on rank 0 and not on rank 1" in first.message
    assert (second.key, second.ranks) == ("cls_1", (0,))


def test_keys_that_nothing_waits_for_are_no_error() -> None:
    only_rank_0 = [said(logged_key("time")), said()]
    assert the_only(find, evidence(taken(words=only_rank_0))).severity == "info"
    only_rank_1 = [said(), said(logged_key("time"))]
    assert the_only(find, evidence(taken(words=only_rank_1))).severity == "warning"
    by_intent = [said(logged_key("time", rank_zero_only=True)), said()]
    assert nothing(find, evidence(taken(words=by_intent)))


def test_a_rank_that_is_behind_is_given_time() -> None:
    key = logged_key("loss", on_step=True, last_step=4, **SYNCED)
    behind = [said(key, step=4, final=False), said(step=3, final=False)]
    assert nothing(find, evidence(taken(words=behind)))
    past = [said(key, step=4, final=False), said(step=4, final=False)]
    assert the_only(find, evidence(taken(words=past))).ranks == (1,)


def test_it_speaks_at_the_last_batch_before_the_sync_hangs() -> None:
    words = [said(logged_key("a", **SYNCED), step=4, final=False), said(step=4, final=False)]
    progress = {r: Progress(stage="validate", pass_=0, epoch=0, step=4, steps=5) for r in (0, 1)}
    assert the_only(find, evidence(taken(words=words), progress=progress)).key == "a"
    more = {r: Progress(stage="validate", pass_=0, epoch=0, step=4, steps=6) for r in (0, 1)}
    assert nothing(find, evidence(taken(words=words), progress=more))


def test_another_order_of_synced_keys() -> None:
    def in_order(*names: str) -> object:
        return said(*(logged_key(name, order=i, **SYNCED) for i, name in enumerate(names)))

    mixed = [in_order("a", "b"), in_order("b", "a")]
    finding = the_only(find, evidence(taken(words=mixed)))
    assert "b where that one logs a" in finding.message
    same = [in_order("a", "b"), in_order("a", "b")]
    assert nothing(find, evidence(taken(words=same)))


def test_metrics_held_in_another_order_are_left_to_the_rule_about_that() -> None:
    def objects(*names: str) -> object:
        return said(*(logged_key(n, order=i, metric=n) for i, n in enumerate(names)))

    words = [objects("a", "b"), objects("b", "a")]
    held = {r: declared(metrics=tuple(map(metric, n))) for r, n in enumerate(("ab", "ba"))}
    assert nothing(find, evidence(taken(words=words), declares=held))
    assert the_only(find, evidence(taken(words=words))).code == "DW106"


def test_keys_of_several_loaders_are_not_mixed_up() -> None:
    each = said(
        logged_key("acc", dataloader=0, order=0, **SYNCED),
        logged_key("acc", dataloader=1, order=1, **SYNCED),
    )
    assert nothing(find, evidence(taken(words=[each, each])))


@pytest.mark.parametrize(("on_step", "count"), [(True, 1), (False, 0)])
def test_unequal_batches_matter_to_keys_that_are_synced_at_each(on_step: bool, count: int) -> None:
    words = [said(logged_key("v", on_step=on_step, **SYNCED), step=0, final=False)] * 2
    loader = loader_pass([state(steps=3), state(steps=2)])
    found = list(find(evidence(taken(loaders=[loader], words=words))))
    assert len(found) == count
    if found:
        assert "rank 0 has 3 batches, rank 1 has 2 batches" in found[0].message


def waiting(seconds: float, other: float = 7.0, **more: object) -> object:
    places = {
        0: Pulse(hook="on_validation_epoch_end", key="val_f1", since=seconds),
        1: Pulse(hook="on_train_batch_start", since=other),
    }
    ranks = (
        info(0, hook="on_validation_epoch_end", hook_for=seconds, stage="validate", step=3),
        info(1, hook="on_train_batch_start", hook_for=other, stage="train", step=0),
    )
    progress = {0: Progress(stage="validate", pass_=0, epoch=0, step=3)}
    known = {"ranks": ranks, "pulses": places, "progress": progress, "declares": {0: declared()}}
    return evidence(**{**known, **more})


def test_hang_in_log_says_who_waits_where_and_since_when() -> None:
    finding = the_only(find, waiting(7.0))
    assert (finding.key, finding.severity, finding.ranks) == ("val_f1", "error", (0,))
    assert "rank 0 has been in self.log('val_f1', …) in on_validation_epoch_end for 7 s" in (
        finding.message
    )
    assert "rank 1 has been in on_train_batch_start for 7 s" in finding.message
    assert finding.pass_key == KEY


def test_a_short_wait_a_common_one_and_a_slow_peer_are_no_hang() -> None:
    assert nothing(find, waiting(2.0))
    assert nothing(find, waiting(7.0, other=1.0))
    both = waiting(7.0)
    pulse = both.pulses[0]
    assert nothing(find, replace(both, pulses={0: pulse, 1: pulse}))
    slow = {0: Progress(stage="validate", pass_=0, epoch=0, step=3, step_time=4.0)}
    assert nothing(find, waiting(7.0, progress=slow))


def test_a_checkpoint_being_saved_is_waited_for() -> None:
    ranks = waiting(9.0).ranks
    saving = replace(ranks[1], stack='File "torch/serialization.py", line 1, in save')
    assert nothing(find, waiting(9.0, ranks=(ranks[0], saving)))
