"""Do dots become the right glyphs, and lines the right dots?"""

from __future__ import annotations

import numpy as np

from ddpwatch.tui.widgets.braille import (
    BLANK,
    codes,
    draw_line,
    fill_between,
    raster,
    thickened,
)


def glyphs(dots):
    return ["".join(chr(BLANK + int(bits)) for bits in row) for row in codes(dots)]


def test_each_dot_has_its_glyph() -> None:
    dots = raster(1, 8)
    for place, (row, column) in enumerate(np.ndindex(4, 2)):
        dots[row, place * 2 + column] = True
    assert glyphs(dots) == ["⠁⠈⠂⠐⠄⠠⡀⢀"]


def test_a_line_has_no_holes() -> None:
    dots = raster(4, 10)
    draw_line(dots, np.array([0.0, 19.0]), np.array([15.0, 0.0]), np.array([True]))
    assert dots.any(axis=0).all()
    assert dots[15, 0] and dots[0, 19]


def test_neighbours_that_are_not_connected_have_a_gap_between_them() -> None:
    dots = raster(1, 10)
    x, y = np.array([0.0, 4.0, 12.0, 19.0]), np.zeros(4)
    draw_line(dots, x, y, np.array([True, False, True]))
    assert dots[0, :5].all() and dots[0, 12:].all()
    assert not dots[:, 5:12].any()


def test_a_lonely_point_is_larger_than_a_dot() -> None:
    dots = raster(2, 2)
    draw_line(dots, np.array([1.0]), np.array([2.0]), np.zeros(0, dtype=bool))
    assert dots.sum() == 4


def test_dots_outside_are_left_out() -> None:
    dots = raster(1, 1)
    draw_line(dots, np.array([-9.0, 50.0]), np.array([-3.0, -3.0]), np.array([True]))
    assert not dots.any()
    draw_line(dots, np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool))
    assert not dots.any()


def test_a_band_is_shaded_between_its_edges_only() -> None:
    dots = raster(3, 4)
    fill_between(dots, np.array([0.0, 7.0]), np.array([2.0, 2.0]), np.array([8.0, 8.0]))
    assert not dots[:2].any() and not dots[9:].any()
    assert 0 < dots[2:9].mean() < 1


def test_a_band_breaks_where_there_is_no_value() -> None:
    dots = raster(1, 8)
    edge = np.array([0.0, np.nan, 0.0, 0.0])
    fill_between(dots, np.array([0.0, 5.0, 10.0, 15.0]), edge, edge + 3)
    assert not dots[:, 1:10].any()
    assert dots[:, 10:].any()


def test_thick_lines_are_two_dots_high() -> None:
    dots = raster(1, 1)
    dots[1, 0] = True
    assert np.flatnonzero(thickened(dots)[:, 0]).tolist() == [1, 2]
