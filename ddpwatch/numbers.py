"""How is a number written, so that columns line up and nothing is made up?

Every function returns plain text; with `width` it is filled on the left to that many cells, and
never longer. Absent (None) is `–`; not-a-number is `nan`; an exact zero is the only `0.000`.
"""

from __future__ import annotations

import math

ABSENT = "–"

EQUAL = 1e-6
"""Two values closer than this are the same: the difference is rounding."""

_SIZES = ("B", "kB", "MB", "GB", "TB")


def value(number: float | None, width: int = 7) -> str:
    """Write a metric's value in `width` cells (at least 6).

    >>> [value(x) for x in (0.9134, 12.34, 123456.0, None)]
    ['  0.913', '   12.3', '1.2e+05', '      –']
    """
    return plain_number(number, width).rjust(width)


def plain_number(number: float | None, width: int = 7) -> str:
    """Write a value as `value` does, without the blanks."""
    if number is None:
        return ABSENT
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return next((text for text in _spellings(number) if len(text) <= width), "≈0")


def signed(number: float | None, width: int = 7) -> str:
    """Write a difference with its sign; one that is mere rounding is `0.000`, without any.

    >>> [signed(x) for x in (0.0419, -0.5, 1e-9, None)]
    [' +0.042', ' -0.500', '  0.000', '      –']
    """
    if number is None or not math.isfinite(number):
        return value(number, width)
    if abs(number) < EQUAL:
        return "0.000".rjust(width)
    sign = "+" if number > 0 else "-"
    return (sign + plain_number(abs(number), width - 1)).rjust(width)


def count(number: int | None, width: int = 0) -> str:
    """Write a count of things, with thousands apart while there is room; negative is unknown.

    >>> count(12345), count(-1), count(1234567, 5)
    ('12,345', '–', '1.23M')
    """
    if number is None or number < 0:
        return ABSENT.rjust(width)
    text = f"{number:,}"
    if width and len(text) > width:
        text = _abbreviated(number)
    return text.rjust(width)


def clock(seconds: float | None) -> str:
    """Write a duration as a clock does.

    >>> clock(42), clock(3725), clock(200_000)
    ('0:42', '1:02:05', '2d 07h')
    """
    if seconds is None or not math.isfinite(seconds):
        return ABSENT
    whole = round(max(seconds, 0.0))
    hours, rest = divmod(whole, 3600)
    if hours >= 24:
        return f"{hours // 24}d {hours % 24:02d}h"
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def age(seconds: float | None) -> str:
    """Write how long ago something was, as coarse as it is long.

    >>> age(0.14), age(75), age(7300)
    ('0.1 s', '75 s', '2.0 h')
    """
    if seconds is None or not math.isfinite(seconds):
        return ABSENT
    if seconds < 9.95:
        return f"{max(seconds, 0.0):.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def rate(per_second: float | None, unit: str) -> str:
    """Write how often something happens.

    >>> rate(41.2, "step/s"), rate(0.25, "step/s"), rate(0.001, "step/s")
    ('41 step/s', '0.25 step/s', '0.001 step/s')
    """
    if per_second is None or not math.isfinite(per_second):
        return f"{ABSENT} {unit}"
    if per_second >= 9.95:
        return f"{per_second:,.0f} {unit}"
    decimals = 1 if per_second >= 1 else 2 if per_second >= 0.095 else 3
    return f"{per_second:.{decimals}f} {unit}"


def size(nbytes: int | None) -> str:
    """Write a number of bytes in decimal units.

    >>> size(640), size(12_345)
    ('640 B', '12.3 kB')
    """
    if nbytes is None or nbytes < 0:
        return ABSENT
    amount, unit = float(nbytes), 0
    while amount >= 999.5 and unit < len(_SIZES) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{nbytes} B" if unit == 0 else f"{amount:.1f} {_SIZES[unit]}"


def _spellings(number: float) -> tuple[str, ...]:
    """The ways to write a finite number, the best first."""
    powers = (f"{number:.1e}", f"{number:.0e}", f"{number:.0e}".replace("e+", "e"))
    size = abs(number)
    if number == 0:
        return ("0.000",)
    if size < 0.000095 or size >= 99_999.5:
        return powers
    if size < 0.0009995:
        return (f"{number:.4f}", *powers)
    if size < 9.9995:
        return (f"{number:.3f}", f"{number:.2f}")
    if size < 999.95:
        return (f"{number:.1f}", *powers)
    return (f"{number:.0f}", *powers)


def _abbreviated(number: int) -> str:
    """A large count in about three digits."""
    for factor, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= factor * 0.9995:
            scaled = number / factor
            decimals = 2 if scaled < 9.995 else 1 if scaled < 99.95 else 0
            return f"{scaled:.{decimals}f}{letter}"
    return str(number)
