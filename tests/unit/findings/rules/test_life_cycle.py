"""DW301, DW302 and DW304: what was in a metric before its pass began, cases 27, 29 and 31."""

from __future__ import annotations

from typing import Any

import pytest

from ddpwatch.board.snapshot import PassKey
from ddpwatch.findings.rules import not_reset, sanity_leak, shared_metric
from tests.unit.findings.builders import (
    KEY,
    Use,
    evidence,
    loader_pass,
    metric,
    nothing,
    state,
    taken,
    the_only,
    updated,
)

VALIDATED = frozenset({Use("validate", 0)})
EVERYWHERE = VALIDATED | {Use("train", 0)}


def after(
    updates: int,
    fresh: int,
    pass_: int,
    *,
    uses: frozenset[Use] = VALIDATED,
    name: str = "MulticlassF1Score",
    sanity: int = 1,
    key: PassKey = KEY,
) -> Any:
    key = key._replace(pass_=pass_, epoch=pass_)
    states = [state(updated(updates=updates, fresh=fresh), key=key)] * 2
    loader = loader_pass(states, metric("f1", name), key=key)
    return evidence(
        taken(loaders=[loader], key=key),
        uses={"f1": uses},
        sanity={"f1": sanity} if sanity else {},
    )


def test_never_reset_metric_says_how_many_epochs_are_in_it() -> None:
    finding = the_only(not_reset.find, after(7, 2, 2))
    assert (finding.code, finding.severity, finding.key) == ("DW301", "warning", "f1")
    assert "holds 7 updates, 2 of them of this epoch" in finding.message
    assert "3 epochs and the sanity check in it" in finding.message
    assert "self.f1.reset()" in finding.fix


@pytest.mark.parametrize(
    "right",
    [
        after(2, 2, 2),
        after(3, 2, 0),
        after(7, 2, 2, uses=EVERYWHERE),
        after(3, 1, 2, name="MaxMetric"),
    ],
)
def test_reset_first_shared_and_running_metrics_are_left_alone(right: Any) -> None:
    assert nothing(not_reset.find, right)


def test_sanity_batches_in_the_first_epoch() -> None:
    finding = the_only(sanity_leak.find, after(3, 2, 0))
    assert finding.code == "DW302"
    assert "holds 3 updates, 2 of them its own; 1 came from the sanity check" in finding.message
    assert nothing(sanity_leak.find, after(2, 2, 0))
    assert nothing(sanity_leak.find, after(3, 2, 0, sanity=0))
    assert nothing(sanity_leak.find, after(5, 2, 1))


def test_one_object_for_two_stages() -> None:
    finding = the_only(shared_metric.find, after(4, 2, 0, uses=EVERYWHERE))
    assert (finding.code, finding.severity) == ("DW304", "warning")
    assert "serves train and validate" in finding.message
    assert "with 2 updates from elsewhere" in finding.message
    emptied = after(1, 4, 0, uses=EVERYWHERE, key=KEY._replace(stage="train"))
    assert "3 reset away by the other" in the_only(shared_metric.find, emptied).message


def test_one_object_for_two_loaders() -> None:
    both = VALIDATED | {Use("validate", 1)}
    second = after(4, 2, 0, uses=both, key=KEY._replace(dataloader=1))
    finding = the_only(shared_metric.find, second)
    assert "serves dataloader 0 and dataloader 1" in finding.message
    assert finding.pass_key is not None
    assert finding.pass_key.dataloader == 1


def test_stages_that_do_not_mix_may_share_an_object() -> None:
    uses = VALIDATED | {Use("test", 0)}
    assert nothing(shared_metric.find, after(2, 2, 0, uses=uses))
    assert nothing(shared_metric.find, after(4, 2, 1))
