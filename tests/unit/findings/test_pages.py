"""Has every code one rule and one page, and does each page say all that it should?"""

from __future__ import annotations

from pathlib import Path

import pytest

from ddpwatch.errors import UsageError
from ddpwatch.findings import rules
from ddpwatch.findings.pages import folder, listing, page
from ddpwatch.findings.registry import BY_CODE, RULES

CODES = [
    *(f"DW10{n}" for n in range(1, 10)),
    *(f"DW20{n}" for n in range(1, 6)),
    *(f"DW30{n}" for n in range(1, 10)),
    *(f"DW40{n}" for n in range(1, 6)),
]


def test_codes_rules_files_and_pages_are_the_same() -> None:
    assert [rule.fault.code for rule in RULES] == CODES
    assert sorted(path.stem for path in folder().glob("*.md")) == CODES
    (place,) = rules.__path__
    files = {path.stem for path in Path(place).glob("*.py")} - {"__init__"}
    assert {rule.find.__module__.rpartition(".")[2] for rule in RULES} == files


@pytest.mark.parametrize("code", CODES)
def test_every_page_has_the_rules_title_its_severity_and_all_parts(code: str) -> None:
    fault, text = BY_CODE[code].fault, page(code)
    title, severity, *_ = text.split("\n\n")
    assert title == f"# {code}: {fault.title}"
    assert severity.startswith("Severity: ")
    assert fault.severity in severity
    parts = [line for line in text.splitlines() if line.startswith("## ")]
    assert parts == [
        "## What it looks like",
        "## Why it happens",
        "## How to put it right",
        "## When nothing is said",
    ]
    assert f"{fault.severity} {code} " in text


def test_listing_has_a_line_for_each() -> None:
    lines = listing().splitlines()
    assert len(lines) == len(CODES)
    assert lines[0].startswith("DW101  warning  logged value is one rank's own")


def test_small_letters_are_fine_and_unknown_codes_say_what_to_do() -> None:
    assert page("dw102") == page("DW102")
    for wrong in ("DW999", "", "../decisions"):
        with pytest.raises(UsageError, match="ddpwatch explain"):
            page(wrong)
