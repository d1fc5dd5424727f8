"""Does every script of a finding trigger it, with its numbers, and its right twin nothing?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.scripts import FOLDER, NAMES, code_of, module, report_of

pytestmark = pytest.mark.ddp

LONG = {"dw306_half_precision", "dw402_slow_rank"}

SCRIPTS = [pytest.param(name, marks=pytest.mark.soak if name in LONG else ()) for name in NAMES]


def told(findings: list[dict[str, Any]]) -> str:
    """What was found, for the message of a test that fails."""
    lines = [f"{f['code']} {f['severity']} {f['key']!r} {f['message']}" for f in findings]
    return "\n".join(lines) or "nothing was found"


def is_expected(finding: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a finding is about the right key and ranks and tells the numbers."""
    return (
        expected.get("key") in ("", None, finding["key"])
        and expected.get("ranks") in (None, finding["ranks"])
        and expected.get("severity") in (None, finding["severity"])
        and all(number in finding["message"] for number in expected["numbers"])
    )


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_triggers_its_finding(name: str) -> None:
    expected = module(name).EXPECTED
    findings = report_of(name)["findings"]
    own = [finding for finding in findings if finding["code"] == code_of(name)]
    assert any(is_expected(finding, expected) for finding in own), f"{expected}\n{told(findings)}"
    grave = {f["code"] for f in findings if f["severity"] != "info"} - {code_of(name)}
    assert grave == set(expected.get("beside", ())), f"one fault is one finding\n{told(findings)}"
    places = [(f["key"], f["stage"] if code_of(name) == "DW304" else "") for f in own]
    assert len(places) == len(set(places)), f"told twice\n{told(findings)}"


@pytest.mark.parametrize("name", SCRIPTS)
def test_right_twin_triggers_nothing(name: str) -> None:
    """Save for information which stays true of the twin, where the script says so (`stays`)."""
    stays = module(name).EXPECTED.get("stays")
    findings = report_of(name, right=True)["findings"]
    wrong = [
        finding
        for finding in findings
        if finding["severity"] != "info" or (finding["code"] == code_of(name) and stays != "info")
    ]
    assert not wrong, told(wrong)


def test_average_of_f1_changes_with_the_batch_size() -> None:
    for size, logged in ((4, "0.5889"), (2, "0.5")):
        findings = report_of("dw102_averaged_f1", batch_size=size)["findings"]
        (finding,) = [f for f in findings if f["code"] == "DW102"]
        assert logged in finding["message"]
        assert "0.6349" in finding["message"]


def test_every_script_is_in_the_table_with_its_question() -> None:
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = [line for line in table.splitlines() if line.startswith("| DW")]
    assert rows == [
        f"| {code_of(name)} | [{name}]({name}.py) | {module(name).__doc__.splitlines()[0]} |"
        for name in NAMES
    ]


def test_every_finding_has_a_script_and_a_page() -> None:
    from ddpwatch.findings.registry import RULES

    pages = FOLDER.parents[1] / "docs" / "findings"
    codes = sorted(rule.fault.code for rule in RULES)
    assert sorted({code_of(name) for name in NAMES}) == codes
    assert sorted(page.stem for page in pages.glob("DW*.md")) == codes
