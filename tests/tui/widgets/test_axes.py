"""Are axes fitted, and labelled at round numbers?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.tui.widgets.axes import step_axis, ticks, value_axis


@given(st.floats(-1e6, 1e6), st.floats(1e-4, 1e6), st.integers(2, 12))
def test_ticks_lie_in_range_and_are_told_apart(low: float, span: float, most: int) -> None:
    found = ticks(low, low + span, most)
    values = [value for value, _ in found]
    assert len(found) >= 2
    assert len(found) <= max(most, 4)
    assert all(low - span * 1e-6 <= value <= low + span * (1 + 1e-6) for value in values)
    assert np.all(np.diff(values) > 0)


@pytest.mark.parametrize(
    ("low", "high", "most", "texts"),
    [
        (0.0, 1.0, 6, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0.02, 0.93, 2, ["0.25", "0.50", "0.75"]),
        (0.912, 0.934, 3, ["0.92", "0.93"]),
        (-3.0, 40.0, 4, ["0", "20", "40"]),
    ],
)
def test_ticks(low: float, high: float, most: int, texts: list[str]) -> None:
    assert [text for _, text in ticks(low, high, most)] == texts


def test_scores_get_no_axis_beyond_zero_and_one() -> None:
    axis = value_axis(np.array([0.01, 0.99]), 5)
    assert axis is not None
    assert (axis.low, axis.high) == (0.0, 1.0)
    loss = value_axis(np.array([0.5, 2.0]), 5)
    assert loss is not None and loss.low < 0.5 and loss.high > 2.0


def test_a_constant_has_an_axis_too() -> None:
    for constant in (0.0, 1.0, 0.5, 1e9, -3.0):
        axis = value_axis(np.array([constant, constant]), 4)
        assert axis is not None
        assert axis.low <= constant <= axis.high
        assert axis.low < axis.high


def test_values_that_are_not_finite_have_no_say() -> None:
    assert value_axis(np.array([np.nan, np.inf]), 4) is None
    axis = value_axis(np.array([np.nan, np.inf, 0.2, 0.4]), 4)
    assert axis is not None and axis.high < 1


def test_steps_are_labelled_at_whole_numbers() -> None:
    axis = step_axis(np.arange(4.0), 10)
    assert axis is not None
    assert [text for _, text in axis.ticks] == ["0", "1", "2", "3"]
    single = step_axis(np.array([7.0]), 10)
    assert single is not None and [text for _, text in single.ticks] == ["7"]
    assert step_axis(np.array([]), 10) is None
