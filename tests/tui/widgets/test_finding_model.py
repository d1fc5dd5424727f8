"""Is a finding told in full, safely, and in the order of what matters?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from ddpwatch.tui.widgets import finding_model as model
from ddpwatch.tui.widgets.tones import Span, width_of
from tests.tui import diagnosed, snapshots


def told(finding, width=80):
    lines = list(model.full_lines(finding, width))
    assert all(width_of(line) <= width for line in lines)
    return "\n".join("".join(span.text for span in line) for line in lines)


def test_severity_goes_before_age_and_age_before_code() -> None:
    error, warning, info = (
        diagnosed.finding(code, severity, "t", "k", "m", first_at=at)
        for code, severity, at in (("DW405", "error", 1.0), ("DW101", "warning", 2.0),
                                   ("DW107", "info", 3.0))
    )  # fmt: skip
    newer = replace(warning, code="DW102", first_at=9.0)
    assert model.by_severity((info, warning, newer, error)) == (error, newer, warning, info)


def test_the_most_severe_code_is_shown_whatever_the_order_of_codes() -> None:
    known = model.severities(diagnosed.findings())
    assert known == {"DW101": "warning", "DW102": "warning", "DW105": "error", "DW203": "info"}
    assert model.codes_span(("DW101", "DW105"), known, 7) == Span(" DW105+"[-7:], "bad")
    assert model.codes_span(("DW101", "DW203"), known, 7).text == " DW101+"[-7:]
    assert model.codes_span(("DW203",), known, 7) == Span("  DW203", "muted")


def test_codes_are_never_wider_than_their_column() -> None:
    for codes in ((), ("DW101",), ("DW101", "DW102"), ("DW101" * 9, "x")):
        for width in (0, 5, 6, 7, 9):
            span = model.codes_span(codes, {}, width)
            assert cell_len(span.text) == width
    assert model.codes_span(("DW101", "DW102"), {}, 6).text == " DW101"


def test_one_code_with_two_severities_counts_as_the_worse() -> None:
    one = diagnosed.finding("DW104", "info", "t", "a", "m")
    assert model.severities((one, replace(one, severity="warning", key="b"))) == {
        "DW104": "warning"
    }


def test_code_keeps_its_indentation_and_continues_deeper() -> None:
    finding = diagnosed.finding(
        "DW101", "warning", "t", "k", "m", fix="def f():\n\tself.log(key, value, sync_dist=True)"
    )
    lines = told(finding, 30).splitlines()
    start = lines.index("Fix") + 1
    assert lines[start : start + 3] == [
        "  def f():",
        "      self.log(key, value,",
        "          sync_dist=True)",
    ]


def test_hostile_texts_are_seen_and_not_obeyed() -> None:
    evil = snapshots.HOSTILE
    finding = diagnosed.finding("DW101", "error", evil, evil, evil, why=evil, fix=evil)
    for text in (told(finding), "\n".join(model.fix_lines(finding))):
        assert "\x1b" not in text and "\u202e" not in text and "\x9b" not in text
        assert "␛[31m[/]" in text
    for width in (46, 70, 120):
        assert width_of(model.finding_line(finding, width)) == width


@pytest.mark.parametrize("width", [46, 48, 78, 118])
def test_lines_fill_their_width(width: int) -> None:
    for each in diagnosed.findings():
        assert width_of(model.finding_line(each, width)) == width
    assert width_of(model.head(width)) == width
    assert all(width_of(line) <= width for line in model.checked_lines(width))


def test_every_severity_reads_differently_without_colour() -> None:
    lines = {
        severity: "".join(
            span.text
            for span in model.finding_line(diagnosed.finding("DW1", severity, "", "", "m"), 60)
        )
        for severity in model.ORDER
    }
    assert [line[:9].strip() for line in lines.values()] == ["✗ error", "! warning", "i info"]


def test_rank_lists() -> None:
    assert model.rank_list((3, 1, 2)) == "1-3"
    assert model.rank_list((0, 1)) == "0,1"
    assert model.rank_list((5,)) == "5"
    assert model.rank_list(()) == ""
    assert model.rank_list((0, 2, 3, 4, 9)) == "0,2-4,9"
