"""Whole lines come out of any pieces, and redraws and colours do not."""

from __future__ import annotations

import pytest

from ddpwatch_lightning.lines import CUT, LONGEST, LONGEST_TEXT, Lines


def fed(*pieces: str) -> list[str]:
    lines = Lines(lambda count: None)
    return [line for piece in pieces for line in lines.feed(piece)]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (("one\n",), ["one"]),
        (("one", "\n"), ["one"]),
        (("o", "ne\ntw", "o\nthree"), ["one", "two"]),
        (("one\r\ntwo\r\n",), ["one", "two"]),
        (("\n", "  \n"), []),
        (("\x1b[31mred\x1b[0m\n",), ["red"]),
        (("\x1b]0;title\x07text\n",), ["text"]),
    ],
)
def test_lines(pieces: tuple[str, ...], expected: list[str]) -> None:
    assert fed(*pieces) == expected


def test_a_bar_that_is_redrawn_is_left_out_with_its_last_state() -> None:
    assert fed("\r 10%|#  |", "\r100%|###|", "\n", "done\n") == ["done"]


def test_what_is_printed_after_a_bar_was_blanked_out_is_a_line() -> None:
    assert fed("\r 10%|#  |", "\r          ", "\r", "hello", "\n", "\r 20%|## |") == ["hello"]


def test_what_is_printed_behind_a_bar_is_a_line() -> None:
    assert fed("\r 10%|#  |", "hello", "\n", "\r 20%|## |", "logged\n") == ["hello", "logged"]


def test_a_bar_moved_by_cursor_sequences_is_left_out_and_lines_beside_it_are_not() -> None:
    text = "\r\x1b[2K\x1b[1A\x1b[2Khello\nEpoch 0 ━━━━╸ 3/4\n"
    assert fed(text) == ["hello"]


def test_a_table_drawn_without_moving_is_shown() -> None:
    assert fed("\x1b[1m┏━━━┓\x1b[0m\n") == ["┏━━━┓"]


def test_a_long_line_is_cut_and_marked() -> None:
    assert fed("x" * 10_000 + "\n") == ["x" * LONGEST + CUT]
    assert fed(*["x" * 100] * 100, "\n") == ["x" * LONGEST + CUT]


def test_of_a_large_piece_the_rest_is_counted() -> None:
    lost: list[int] = []
    lines = Lines(lost.append)
    found = lines.feed("x\n" * LONGEST_TEXT)
    assert len(found) + sum(lost) == LONGEST_TEXT
    assert lines.feed("\nnext\n") == ["next"]
