"""DW306: sums that cannot grow any further, case 35."""

from __future__ import annotations

from typing import Any

import pytest

from ddpwatch.findings.rules.narrow_accumulator import find
from ddpwatch.wire.messages import Array
from tests.unit.findings.builders import (
    array,
    evidence,
    loader_pass,
    metric,
    nothing,
    spec,
    state,
    taken,
    the_only,
    updated,
)

SUM = metric("seen", "SumMetric", spec("sum_value"))


def bfloat16(value: float) -> Array:
    high = array(value, "float32").data[2:]
    return Array("bfloat16", (), high)


def held(now: Any, before: Any, *, metric: Any = SUM, more: int = 10) -> Any:
    states = [state(updated(now, updates=400), final=True)]
    earlier = [state(updated(before, updates=400 - more))]
    return evidence(taken(loaders=[loader_pass(states, metric, earlier=earlier)]))


def test_bfloat16_that_stays_at_256() -> None:
    finding = the_only(find, held(bfloat16(256.0), bfloat16(256.0)))
    assert (finding.code, finding.severity, finding.key) == ("DW306", "warning", "seen")
    assert "'sum_value' on rank 0 (bfloat16) has stayed at 256" in finding.message


def test_half_precision_is_told_before_it_stops() -> None:
    finding = the_only(find, held(bfloat16(8.0), bfloat16(7.0)))
    assert "is bfloat16, which stops growing by ones at 256" in finding.message


def test_float32_at_its_end() -> None:
    end = array(16_777_216.0, "float32")
    assert "has stayed at 16,777,216" in the_only(find, held(end, end)).message


@pytest.mark.parametrize(
    "right",
    [
        held(array(400), array(390)),
        held(array(400.0, "float32"), array(400.0, "float32")),
        held(array(2.0**25, "float32"), array(2.0**24, "float32")),
        held(bfloat16(1.0), bfloat16(1.0), metric=metric("m", "MaxMetric", spec("v", "max"))),
    ],
)
def test_right_twins_are_left_alone(right: Any) -> None:
    assert nothing(find, right)
