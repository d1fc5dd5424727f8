"""Do times come back from a file as the very same floats?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.recording.moments import to_nanoseconds, to_seconds


@given(st.floats(0, 2**33))
def test_a_time_of_this_age_comes_back_equal(at: float) -> None:
    # Below a second there are more floats than nanoseconds; wall time is far above.
    again = to_seconds(to_nanoseconds(at))
    assert again == at if at > 1e8 else abs(again - at) <= 1e-9


@given(st.floats(1e8, 2**33), st.floats(1e8, 2**33))
def test_order_stays(one: float, other: float) -> None:
    assert (one < other) == (to_nanoseconds(one) < to_nanoseconds(other))


def test_what_lies_before_all_time_is_its_beginning() -> None:
    assert to_nanoseconds(-3.5) == 0
