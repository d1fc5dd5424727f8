"""Is what came of a recording the same as what was printed while it was made?"""

from __future__ import annotations

import json

import pytest

from ddpwatch import reviewing
from ddpwatch.board.board import Board
from ddpwatch.errors import UsageError
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.report.document import build_report, to_json
from ddpwatch.report.recorded import end_of, reports_of
from ddpwatch.wire.messages import Event
from ddpwatch.wire.stamped import Told
from tests.unit.board.builders import FakeRank
from tests.unit.report.recordings import FakeRecording, finding, run_of_two, told


def test_one_run_is_printed_as_while_it_was_watched() -> None:
    items = [*run_of_two(logged=0.5), *told(finding("DW102"))]
    board = Board(diagnosis=Diagnosis(looks=False))
    board.fold(items)
    (run,) = board.runs.values()
    expected = to_json(build_report(run, board.now, board.findings(run)))
    assert reviewing.report(FakeRecording(items), form="json").text == expected
    assert json.loads(expected)["findings"][0]["code"] == "DW102"


def test_several_runs_come_one_after_the_other_and_one_can_be_named() -> None:
    recording = FakeRecording([*run_of_two("a", name="first"), *run_of_two("b", name="second")])
    decoder, text = json.JSONDecoder(), reviewing.report(recording, form="json").text
    first, end = decoder.raw_decode(text)
    second = json.loads(text[end:])
    assert [first["run"]["id"], second["run"]["id"]] == ["a", "b"]
    for wanted in ("b", "second"):
        assert [r.run.id for r in reports_of(end_of(recording), wanted)] == ["b"]
    table = reviewing.report(recording).text
    assert table.count("2 ranks") == 2
    assert "first" in table
    assert "second" in table


def test_run_that_is_not_there_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(UsageError, match=r"got 'c': there are a \(toy\)"):
        reports_of(end_of(FakeRecording(run_of_two("a"))), "c")


def test_recording_of_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match="expected a recording of at least one run"):
        reports_of(end_of(FakeRecording([])))


def test_findings_are_as_told_and_not_looked_for_again() -> None:
    recording = FakeRecording(run_of_two(logged=0.9))
    board = end_of(recording)
    assert board.findings(board.runs["r"]) == ()


def test_findings_are_looked_for_where_nobody_has_looked() -> None:
    rank = FakeRank(1)
    items = [rank.hello(), rank.say(Event(kind="exception", at=1.0, text="boom"), 1.0)]
    recording = FakeRecording([FakeRank(0).hello(), *items])
    recording.is_told = False
    board = end_of(recording)
    assert [each.code for each in board.findings(board.runs["r"])] == ["DW401"]


def test_what_is_wrong_with_the_files_is_remarked() -> None:
    recording = FakeRecording(run_of_two(), is_cut_short=True, notes=("part 2 is\x1b missing",))
    first, second = reviewing.report(recording).remarks
    assert "cut short" in first
    assert second == "part 2 is␛ missing"


def test_messages_that_are_not_understood_are_remarked() -> None:
    items = [*run_of_two(), Told(1.0, "r", b"of a later version")]
    (remark,) = reviewing.report(FakeRecording(items)).remarks
    assert remark.startswith(
        "the recording holds 1 messages that were not understood (malformed 1)"
    )
