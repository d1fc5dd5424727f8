"""How do numbers become braille dots? A raster is boolean; a cell is four dots by two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddpwatch.board.snapshot import BoolArray, FloatArray

DOTS_DOWN, DOTS_ACROSS = 4, 2
BLANK = 0x2800

# Unicode numbers the dots down the left column, then down the right one, then the bottom row.
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]], dtype=np.uint16)


def raster(height: int, width: int) -> BoolArray:
    """Return an empty raster for `height` lines of `width` cells."""
    return np.zeros((height * DOTS_DOWN, width * DOTS_ACROSS), dtype=np.bool_)


def codes(dots: BoolArray) -> NDArray[np.uint16]:
    """Return the bits of each cell's glyph, shape (height, width); `chr(BLANK + bits)` draws it."""
    rows, columns = dots.shape
    cells = dots.reshape(rows // DOTS_DOWN, DOTS_DOWN, columns // DOTS_ACROSS, DOTS_ACROSS)
    bits: NDArray[np.uint16] = np.einsum("hdwa,da->hw", cells, _BITS, dtype=np.uint16)
    return bits


def draw_line(dots: BoolArray, x: FloatArray, y: FloatArray, connected: BoolArray) -> None:
    """Draw points at dot coordinates (column `x`, row `y`) and straight lines between neighbours.

    `connected` has shape (N - 1,) and says which neighbours a line joins; a point without any line
    is drawn larger, so that it is seen. Points must be finite.
    """
    if len(x) == 0:
        return
    columns, rows = np.rint(x), np.rint(y)
    lonely = ~np.append(connected, False) & ~np.append(False, connected)
    for right, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
        _set(dots, columns[lonely] + right, rows[lonely] + down)
    starts = np.flatnonzero(connected)
    dx, dy = columns[starts + 1] - columns[starts], rows[starts + 1] - rows[starts]
    lengths = np.maximum(np.abs(dx), np.abs(dy)).astype(np.intp) + 1
    which = np.repeat(np.arange(len(starts)), lengths)
    along = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    share = along / np.maximum(lengths - 1, 1)[which]
    _set(dots, columns[starts][which] + dx[which] * share, rows[starts][which] + dy[which] * share)


def fill_between(dots: BoolArray, x: FloatArray, top: FloatArray, bottom: FloatArray) -> None:
    """Shade the area between two curves with every second dot, except next to a NaN.

    `top` is the smaller row number. Both have the shape of `x`, which rises.
    """
    if len(x) == 0:
        return
    across = np.arange(round(float(x[0])), round(float(x[-1])) + 1)
    across = across[(across >= 0) & (across < dots.shape[1])]
    above, below = np.interp(across, x, top), np.interp(across, x, bottom)
    rows = np.arange(dots.shape[0])[:, None]
    inside = (rows >= np.rint(above)) & (rows <= np.rint(below)) & ((rows + across) % 2 == 0)
    dots[:, across] |= inside


def thickened(dots: BoolArray) -> BoolArray:
    """Return the raster with every dot drawn twice, one below the other."""
    thick = dots.copy()
    thick[1:] |= dots[:-1]
    return thick


def _set(dots: BoolArray, columns: FloatArray, rows: FloatArray) -> None:
    column, row = np.rint(columns).astype(np.intp), np.rint(rows).astype(np.intp)
    inside = (column >= 0) & (column < dots.shape[1]) & (row >= 0) & (row < dots.shape[0])
    dots[row[inside], column[inside]] = True
