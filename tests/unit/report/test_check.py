"""Does a check fail where it should, and say why in a form that cannot be subverted?"""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from ddpwatch import reviewing
from ddpwatch.errors import UsageError
from ddpwatch.findings.registry import BY_CODE
from ddpwatch.report.recorded import Answer
from ddpwatch.report.selection import parse
from ddpwatch.report.workflow import command
from tests.unit.report.recordings import HOSTILE, FakeRecording, finding, run_of_two, told

FOUND = (finding("DW102"), finding("DW204", "no cats on rank 1"), finding("DW105", key="loss"))


def checked(*findings: Any, **options: Any) -> Answer:
    return reviewing.check(FakeRecording([*run_of_two(), *told(*findings)]), **options)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, 1),
        ({"fail_on": "error"}, 1),
        ({"ignore": ("DW105",), "fail_on": "error"}, 0),
        ({"ignore": ("DW1",)}, 0),
        ({"ignore": ("DW1",), "fail_on": "info"}, 1),
        ({"select": ("dw2",)}, 0),
        ({"select": ("DW2, DW105",)}, 1),
        ({"select": ("DW2", "DW102")}, 1),
        ({"select": ("DW1",), "ignore": ("DW102,DW105",)}, 0),
        ({"select": ("DW3",)}, 0),
    ],
)
def test_exit_code_is_that_of_what_is_left(options: Any, code: int) -> None:
    assert checked(*FOUND, **options).code == code
    assert checked(**options).code == 0


@pytest.mark.parametrize("codes", ["DW9", "", "DW102,", "val_f1", "DW1020"])
def test_unknown_code_is_an_error_that_names_what_is_known(codes: str) -> None:
    with pytest.raises(UsageError, match=r"known are DW101, DW102.*DW405"):
        parse((), (codes,))


def test_recording_of_nothing_does_not_pass() -> None:
    with pytest.raises(UsageError):
        reviewing.check(FakeRecording([]))


def test_recording_that_was_cut_short_is_remarked_and_may_pass() -> None:
    answer = reviewing.check(FakeRecording(run_of_two(), is_cut_short=True))
    assert answer.code == 0
    assert "cut short" in answer.remarks[0]


def test_text_tells_what_counts_first_and_sums_up() -> None:
    lines = checked(*FOUND, ignore=("DW102",)).text.splitlines()
    assert lines[0] == "error DW105 0.5 is not 0.6"
    assert "info DW204 no cats on rank 1" in lines
    assert lines[-1] == (
        "run toy: 1 finding of severity warning or above, 1 below it, "
        "1 left out by --select or --ignore"
    )


def test_json_says_what_counts() -> None:
    said = json.loads(checked(*FOUND, form="json").text)
    (run,) = said["runs"]
    assert (said["passed"], run["passed"], said["fail_on"]) == (False, False, "warning")
    assert [each["code"] for each in run["counts"]] == ["DW105", "DW102"]
    assert [each["code"] for each in run["slight"]] == ["DW204"]


@pytest.mark.parametrize("form", ["text", "github"])
def test_no_line_of_outside_text_is_obeyed_by_a_runner(form: str) -> None:
    found = finding("DW102", HOSTILE, fix="::stop-commands::x\n  ##[error]y\n" + HOSTILE)
    text = checked(found, finding("DW103", "::add-mask::z", key=HOSTILE), form=form).text
    for line in text.split("\n"):
        assert re.match(r"::(error|warning|notice) title=[^:,]*::", line) or not re.match(
            r"\s*(::|##\[)", line
        )
    assert not set(text) & set("\r\x1b\u202e\x00")


def test_annotations_have_the_level_of_their_severity() -> None:
    lines = checked(*FOUND, form="github").text.splitlines()
    starts = [re.match(r"::(\w+) title=(\w+) ", line) for line in lines[:-1]]
    assert [match and match.groups() for match in starts] == [
        ("error", "DW105"),
        ("warning", "DW102"),
        ("notice", "DW204"),
    ]


def test_workflow_commands_are_escaped() -> None:
    assert command("notice", "a:b,c%", "d:e,f%\r\ng") == (
        "::notice title=a%3Ab%2Cc%25::d:e,f%25%0Ag"
    )


def test_junit_reads_back_with_a_case_for_every_rule() -> None:
    hostile = finding("DW103", HOSTILE, fix=HOSTILE, key=HOSTILE)
    text = checked(*FOUND, hostile, form="junit", ignore=("DW3",)).text
    root = ET.fromstring(text.encode())
    assert root.tag == "testsuites"
    (suite,) = root
    assert suite.get("name") == "toy"
    cases = suite.findall("testcase")
    assert [case.get("name", "").split()[0] for case in cases] == list(BY_CODE)
    found = {case.get("name", "")[:5]: case.find("failure") for case in cases}
    failed = {code: failure for code, failure in found.items() if failure is not None}
    assert set(failed) == {"DW102", "DW103", "DW105"}
    first = failed["DW102"]
    assert first.get("message") == "0.5 is not 0.6"
    assert "self.log('f1', self.f1)" in (first.text or "")
    assert BY_CODE["DW102"].fault.why in (first.text or "")
    skipped = sum(code.startswith("DW3") for code in BY_CODE)
    assert len(suite.findall("testcase/skipped")) == skipped
    counts = {name: int(suite.get(name, "")) for name in ("tests", "failures", "skipped", "errors")}
    assert counts == {"tests": len(cases), "failures": 3, "skipped": skipped, "errors": 0}
    assert root.attrib == {
        "name": "ddpwatch", "tests": str(len(cases)), "failures": "3", "errors": "0",
    }  # fmt: skip
    assert "\x1b" not in text


def test_several_faults_of_one_rule_are_one_failure() -> None:
    found = (finding("DW102"), finding("DW102", "other", key="g"))
    root = ET.fromstring(checked(*found, form="junit").text.encode())
    (failure,) = root.iter("failure")
    assert failure.get("message") == "0.5 is not 0.6 (and 1 more)"
    assert "other" in (failure.text or "")


def test_finding_of_a_later_version_has_a_case_as_well() -> None:
    root = ET.fromstring(checked(finding("DW999"), form="junit").text.encode())
    assert [c.get("name", "")[:5] for c in root.iter("testcase")] == [*BY_CODE, "DW999"]
