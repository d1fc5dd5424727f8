"""Does every number fit its column, and does no text claim what the number is not?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.numbers import age, clock, count, plain_number, rate, signed, size, value

ANY = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.9134, "0.913"),
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (1.0, "1.000"),
        (-0.25, "-0.250"),
        (12.34, "12.3"),
        (123.45, "123.5"),
        (1234.5, "1234"),
        (99999.4, "99999"),
        (123456.0, "1.2e+05"),
        (0.0004, "0.0004"),
        (0.00004, "4.0e-05"),
        (1e-9, "1.0e-09"),
        (-1e300, "-1e+300"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (None, "–"),
    ],
)
def test_values(number: float | None, text: str) -> None:
    assert plain_number(number) == text
    assert value(number) == text.rjust(7)


@given(ANY, st.sampled_from([6, 7, 8, 9]))
def test_values_fill_their_column(number: float, width: int) -> None:
    assert len(value(number, width)) == width
    assert len(signed(number, width)) == width


@given(st.floats(-1e300, 1e300))
def test_only_zero_reads_as_zero(number: float) -> None:
    text = plain_number(number)
    if text == "≈0":
        assert 0 < abs(number) < 1e-99
    else:
        assert (float(text) == 0) == (number == 0)
        assert float(text) == pytest.approx(number, rel=0.5)


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (0.0419, "+0.042"),
        (-0.5, "-0.500"),
        (0.0, "0.000"),
        (9e-7, "0.000"),
        (-3e-5, "-3e-05"),
        (None, "–"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
    ],
)
def test_gaps_have_a_sign_unless_they_are_rounding(gap: float | None, text: str) -> None:
    assert signed(gap).strip() == text


def test_counts() -> None:
    assert [count(n) for n in (0, 91, 12345, -1, None)] == ["0", "91", "12,345", "–", "–"]
    assert [count(n, 7) for n in (91, 1_234_567, 999_999_999)] == ["     91", "  1.23M", "  1.00G"]
    assert count(123_456, 6) == "  123k"


def test_durations() -> None:
    assert [clock(s) for s in (0, 42.4, 61, 3725, 200_000, None, math.inf)] == [
        "0:00",
        "0:42",
        "1:01",
        "1:02:05",
        "2d 07h",
        "–",
        "–",
    ]
    assert [age(s) for s in (0.04, 9.94, 75, 130, 7300, None)] == [
        "0.0 s",
        "9.9 s",
        "75 s",
        "2 min",
        "2.0 h",
        "–",
    ]
    assert age(-0.5) == "0.0 s"


def test_rates_and_sizes() -> None:
    assert [rate(r, "step/s") for r in (41.2, 1234, 3.14, 0.25, 0.001, None)] == [
        "41 step/s",
        "1,234 step/s",
        "3.1 step/s",
        "0.25 step/s",
        "0.001 step/s",
        "– step/s",
    ]
    assert [size(n) for n in (0, 640, 999, 1000, 12_345, 5 * 10**9, None)] == [
        "0 B",
        "640 B",
        "999 B",
        "1.0 kB",
        "12.3 kB",
        "5.0 GB",
        "–",
    ]
