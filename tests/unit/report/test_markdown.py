"""Does a report in Markdown hold the numbers, and is nothing in it obeyed?"""

from __future__ import annotations

import re

import pytest

from ddpwatch import reviewing
from ddpwatch.report.markup import block, code, prose, table
from ddpwatch.report.recorded import end_of, reports_of
from tests.unit.report.recordings import HOSTILE, FakeRecording, finding, run_of_two, told


def cells(line: str) -> list[str]:
    """The cells of a row as GitHub cuts it: at bars before which there is no odd backslash."""
    parts = re.split(r"(?<!\\)(?:\\\\)*\|", line.strip().strip("|"))
    return [part.strip() for part in parts]


def test_table_has_every_rank_the_mean_and_the_global_value() -> None:
    recording = FakeRecording([*run_of_two(logged=0.5), *told(finding("DW102"))])
    text = reviewing.report(recording, form="markdown").text
    (report,) = reports_of(end_of(recording))
    metric = report.epochs[0].metrics[0]
    row = next(line for line in text.splitlines() if line.startswith("| `val.f1` | macro"))
    shown = cells(row)
    assert shown[2:4] == [f"{value:.3f}" for value in metric.ranks]
    assert shown[5] == f"**{metric.global_:.3f}**"
    assert "**warning DW102** 0.5 is not 0.6" in text
    assert "```python\nself.log('f1', self.f1)\n```" in text
    assert "| `val.f1` | unknown | 0.500 |" in text


def test_all_rows_of_a_table_have_as_many_cells_as_its_head() -> None:
    recording = FakeRecording(run_of_two(path=HOSTILE[:400], name=HOSTILE[:400]))
    text = reviewing.report(recording, form="markdown").text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    tables = [len(cells(row)) for row in rows]
    assert len(rows) > 5
    assert set(tables) == {7}


def test_text_from_outside_is_neither_markup_nor_mention_nor_unseen() -> None:
    found = finding("DW102", HOSTILE, fix="```\n</details>" + HOSTILE)
    recording = FakeRecording([*run_of_two(name=HOSTILE[:400]), *told(found)])
    text = reviewing.report(recording, form="markdown").text
    outside = re.sub(r"(`+).*?\1", "", text, flags=re.DOTALL)
    assert "<b>" not in outside
    assert "@you" not in outside
    assert "#1" not in outside
    for hidden in "\x1b\u202e\x00\r":
        assert hidden not in text
    assert len(text) < 20_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a_b *c*", r"a\_b \*c\*"),
        ("a | b", r"a \| b"),
        ("\\|", r"\\\|"),
        ("see https://x.y", "see https:<!-- -->//x.y"),
        ("www.x.y", "www<!-- -->.x.y"),
        ("a\nb", "a␊b"),
        ("![i](u)", r"!\[i\](u)"),
    ],
)
def test_sentences_read_as_they_are(text: str, said: str) -> None:
    assert prose(text) == said


def test_code_holds_backticks_and_bars() -> None:
    assert code("a``b") == "``` a``b ```"
    assert code("`") == "`` ` ``"
    assert code("") == ""
    (row,) = table(["x"], [[code("a|b")]])[2:]
    assert row == r"| `a\|b` |"
    (row,) = table(["x"], [[code("a\\\\|b")]])[2:]
    assert cells(row) == [r"`a\\\|b`"]


def test_fence_is_longer_than_any_within() -> None:
    assert block(["````", "x"]) == ["`````", "````", "x", "`````"]


def test_many_ranks_become_lowest_and_highest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ddpwatch.report.markdown.MOST_RANKS", 1)
    text = reviewing.report(FakeRecording(run_of_two()), form="markdown").text
    assert "| metric | average | lowest | highest | mean | **GLOBAL** | gap |" in text
