"""Is text from outside harmless on a terminal, seen in full, and as wide as asked?"""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ddpwatch.text import pad, shorten, truncate, visible, wrap


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("val_f1", "val_f1"),
        ("", ""),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\nb\tc\rd", "a␊b␉c␍d"),
        ("\x7f\x00", "␡␀"),
        ("\x9b2J", r"\x9b2J"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\u2066iso\u2069", r"\u2066iso\u2069"),
        ("\ufeffbom", r"\ufeffbom"),
        ("no\u00a0break", r"no\xa0break"),
        ("line\u2028sep", r"line\u2028sep"),
        ("heart\ufe0f", r"heart\ufe0f"),
        ("\U000e0041tag", r"\U000e0041tag"),
        ("\ud800", r"\ud800"),
        ("blank\u2800", r"blank\u2800"),
        ("filler\u3164", r"filler\u3164"),
        ("naïve 日本語 Ж", "naïve 日本語 Ж"),
        ("e\u0301", "e\u0301"),
        ("\u0301x", r"\u0301x"),
        ("[bold]x[/]", "[bold]x[/]"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_marks_do_not_pile_up() -> None:
    shown = visible("a" + "\u0301" * 50)
    assert shown.startswith("a\u0301\u0301\\u0301")
    assert shown.count("\u0301") == 2


@given(st.text(alphabet=st.characters(codec=None), max_size=40))
def test_nothing_hidden_or_obeyed_is_left(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert visible(shown) == shown


@given(st.text(max_size=40), st.integers(0, 30))
def test_widths_are_kept(text: str, width: int) -> None:
    assert cell_len(visible(text, width)) <= width
    assert cell_len(shorten(visible(text), width)) <= width
    assert cell_len(pad(visible(text), width)) == width
    assert cell_len(pad(visible(text), width, "right")) == width


def test_truncation_says_so() -> None:
    assert truncate("validation", 10) == "validation"
    assert truncate("validation", 9) == "validati…"
    assert truncate("日本語", 4) == "日…"
    assert truncate("x", 0) == ""


def test_shortening_keeps_both_ends() -> None:
    shown = shorten("model.encoder.val_metrics.f1", 15)
    assert shown.startswith("model") and shown.endswith("f1") and "…" in shown
    assert shorten("val.f1", 15) == "val.f1"
    assert shorten("abcdef", 3) == "ab…"


@given(st.text(max_size=200), st.integers(1, 40), st.sampled_from(["", "    "]))
def test_wrapping_loses_nothing_but_blanks_at_ends(text: str, width: int, hang: str) -> None:
    shown = visible(text)
    lines = wrap(shown, width, hang)
    told = [lines[0], *(line.removeprefix(hang) for line in lines[1:])]
    assert "".join(told).replace(" ", "") == shown.replace(" ", "")
    # A wide character, or a mark on its letter, may need more than a line of one cell has.
    assert all(cell_len(line) <= max(width, len(hang) + 2) for line in lines)


def test_wrapping_breaks_after_blanks_and_breaks_long_words() -> None:
    assert wrap("", 9) == [""]
    assert wrap("one two three", 8) == ["one two", "three"]
    assert wrap("abcdef", 4, "  ") == ["abcd", "  ef"]
    assert wrap("日本語日本語", 5) == ["日本", "語日", "本語"]
    assert wrap("    indented_name", 10) == ["    indent", "ed_name"]
