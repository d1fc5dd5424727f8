"""Whatever a text from outside holds: does it stay text, in every format?"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ddpwatch import reviewing
from ddpwatch.report.csv_file import write_csv
from ddpwatch.report.markup import block, code, prose, table
from ddpwatch.report.unrolling import unroll
from tests.unit.report.recordings import HOSTILE, FakeRecording, finding, run_of_two, told

MARKUP = "`|\\*_[]()<>&#@!~$:-+=%,\r\n\t \x1b\u202e\x00\u2028ab/w.1\"'"
TEXTS = st.one_of(st.text(alphabet=MARKUP, max_size=30), st.text(max_size=30))


def tokens(text: str) -> Iterator[Token]:
    for token in MarkdownIt("commonmark", {"html": True}).enable(["table"]).parse(text):
        yield token
        yield from token.children or ()


@given(TEXTS, TEXTS)
@example("`", "\\")
@example("a\\|b", "\\\\|")
@example(HOSTILE, "![x](y)")
def test_cells_of_a_markdown_table_hold_text_and_code_only(name: str, sentence: str) -> None:
    lines = table(["name", "text"], [[code(name), prose(sentence)]] * 2)
    found = list(tokens("\n".join(lines)))
    assert sum(token.type == "td_open" for token in found) == 4
    allowed = {"text", "code_inline", "html_inline", "inline"}
    inner = {t.type for t in found if not re.match(r"(table|thead|tbody|tr|th|td)_", t.type)}
    assert inner <= allowed
    assert {t.content for t in found if t.type == "html_inline"} <= {"<!-- -->"}


@given(st.lists(TEXTS, min_size=1, max_size=4))
@example(["```", "</details>"])
@example(["~~~", "````x"])
def test_block_is_closed_by_its_own_end_only(lines: list[str]) -> None:
    found = list(tokens("\n".join([*block(lines, "python"), "after"])))
    assert [t.type for t in found if t.block] == [
        "fence", "paragraph_open", "inline", "paragraph_close",
    ]  # fmt: skip


@settings(max_examples=50)
@given(TEXTS, TEXTS)
@example(HOSTILE, HOSTILE)
@example("::error::x", "##[group]")
def test_check_is_obeyed_by_nobody(message: str, fix: str) -> None:
    found = told(finding("DW102", message, fix=fix, key=fix))
    recording = FakeRecording([*run_of_two(name=message), *found])
    for form in ("text", "github"):
        for line in reviewing.check(recording, form=form).text.split("\n"):
            ours = re.match(r"::warning title=DW102 [^:,\r]*::[^\r]*$", line)
            assert ours or not line.strip().startswith(("::", "##["))
    root = ET.fromstring(reviewing.check(recording, form="junit").text.encode())
    assert len(root.findall("testsuite/testcase/failure")) == 1


@settings(max_examples=50)
@given(TEXTS)
@example(HOSTILE)
@example("=cmd|' /C calc'!A0")
def test_csv_has_a_line_for_each_record(path: str) -> None:
    records = list(unroll(FakeRecording(run_of_two(path=path)), frozenset("r")))
    file = io.StringIO()
    assert write_csv(records, file) == len(records) > 0
    assert len(file.getvalue().splitlines()) == len(records) + 1
    rows = list(csv.reader(io.StringIO(file.getvalue())))
    assert {len(row) for row in rows} == {len(records[0])}
    assert not any(row[11].startswith(("=", "@")) for row in rows)
