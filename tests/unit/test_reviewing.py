"""Do the commands for recordings print where they should, and end with the right code?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ddpwatch.cli import main
from ddpwatch.errors import UsageError
from tests.unit.report.recordings import FakeRecording, finding, run_of_two, told

BAD = [*run_of_two(logged=0.5), *told(finding("DW102"))]
RECORDINGS = {
    "good": FakeRecording(run_of_two()),
    "bad": FakeRecording(BAD),
    "cut": FakeRecording(run_of_two(), is_cut_short=True, notes=("part 2 is missing",)),
    "empty": FakeRecording([]),
}


def open_recordings(path: str) -> FakeRecording:
    if path not in RECORDINGS:
        raise UsageError(f"expected a recording, got {path}")
    return RECORDINGS[path]


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    library: Any = ModuleType("ddpwatch.recording.library")
    library.open_recordings = open_recordings
    monkeypatch.setitem(sys.modules, "ddpwatch.recording.library", library)


def ddpwatch(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("report good", 0),
        ("report bad --format markdown", 0),
        ("report empty", 2),
        ("report nowhere", 2),
        ("report good --run other", 2),
        ("check good", 0),
        ("check cut", 0),
        ("check bad", 1),
        ("check bad --fail-on error", 0),
        ("check bad --ignore DW1", 0),
        ("check bad --select DW1 --select DW2", 1),
        ("check bad --select DW7", 2),
        ("check good --select DW7", 2),
        ("check empty", 2),
        ("check nowhere", 2),
        ("compare good bad", 0),
        ("compare good empty", 2),
        ("export good --to csv --out -", 0),
        ("export good --to parquet --out -", 2),
        ("export good --to csv --out ./good", 2),
        ("export empty --to csv --out -", 2),
        ("export good --to xml --out -", 2),
    ],
)
def test_every_command_ends_with_the_right_code(arguments: str, code: int) -> None:
    result = ddpwatch(*arguments.split())
    assert result.exit_code == code, result.output
    assert (result.stdout == "") == (code == 2)
    assert "Traceback" not in result.output


def test_reports_are_on_stdout_and_remarks_on_stderr() -> None:
    result = ddpwatch("report", "cut", "--format", "json")
    assert json.loads(result.stdout)["run"]["name"] == "toy"
    assert result.stderr.splitlines()[1] == "part 2 is missing"
    assert "cut short" in result.stderr


def test_machine_formats_are_whole_documents_on_stdout() -> None:
    assert ddpwatch("check", "bad", "--format", "junit").stdout.startswith("<?xml")
    assert json.loads(ddpwatch("check", "bad", "--format", "json").stdout)["passed"] is False
    assert json.loads(ddpwatch("compare", "good", "bad", "--format", "json").stdout)["a"]


def test_csv_on_stdout_is_nothing_but_csv() -> None:
    result = ddpwatch("export", "good", "--to", "csv", "--out", "-")
    assert result.stdout.startswith("run,generation,stage,pass,")
    assert result.stdout.endswith("\n")
    assert not result.stdout.endswith("\n\n")
    assert "values written to -" in result.stderr


def test_file_is_overwritten_only_by_force(tmp_path: Path) -> None:
    out = str(tmp_path / "values.csv")
    arguments = ("export", "good", "--to", "csv", "--out", out)
    assert ddpwatch(*arguments).exit_code == 0
    again = ddpwatch(*arguments)
    assert again.exit_code == 2
    assert "add --force" in again.stderr
    assert ddpwatch(*arguments, "--force").exit_code == 0
