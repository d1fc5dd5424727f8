"""Is every finding told once while a run goes on, safely, and again if it becomes graver?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ddpwatch.board.board import Board
from ddpwatch.board.snapshot import Finding
from ddpwatch.feed import Intake
from ddpwatch.findings.rule import Fault
from ddpwatch.headless import watch
from ddpwatch.report.document import build_report
from ddpwatch.report.found import Herald, lines
from ddpwatch.report.text import to_text
from ddpwatch.serving import _fails, narrate
from ddpwatch.wire.messages import Event
from ddpwatch.wire.stamped import Tick
from tests.unit.board.builders import FakeRank
from tests.unit.findings.builders import KEY

FAULT = Fault("DW999", "warning", "title", "why")


class Script:
    """A diagnosis that says what it was told to say."""

    def __init__(self, *looks: Sequence[Finding]) -> None:
        self.looks = list(looks)

    def findings(self, run: object, now: float) -> tuple[Finding, ...]:
        return tuple(self.looks.pop(0) if len(self.looks) > 1 else self.looks[0])

    conclude = findings


def board_of_one() -> Board:
    board = Board()
    board.fold([FakeRank(0, world_size=1).hello()])
    return board


def test_each_is_told_once_and_again_when_graver() -> None:
    info = FAULT.finding("a", "fix", key="k", severity="info")
    error = FAULT.finding("b", "fix", key="k", severity="error")
    herald: Any = Herald(Script([info], [info], [error], [error]))
    run = board_of_one().runs["r"]
    told = [[line for line in herald.news(run, 0.0) if "DW999 " in line] for _ in range(4)]
    assert told == [["info DW999 a"], [], ["error DW999 b"], []]


def test_text_of_ranks_is_shown_and_not_obeyed() -> None:
    finding = FAULT.finding("val\x1b[31m_f1", "self.log('\x1b[0m')\nmore", key="val\x1b[31m")
    told = list(lines(finding))
    assert told == [
        "warning DW999 val␛[31m_f1",
        "    self.log('␛[0m')",
        "    more",
        "    why: ddpwatch explain DW999",
    ]
    report = build_report(board_of_one().runs["r"], 0.0, [finding])
    assert "\x1b" not in to_text(report)
    assert "warning DW999 val␛[31m_f1" in to_text(report)


def test_report_holds_findings_with_their_pass() -> None:
    finding = FAULT.finding("m", "f", key="k", ranks=(1, 0), pass_key=KEY._replace(epoch=3))
    alone = FAULT.finding("m", "f")
    first, second = build_report(board_of_one().runs["r"], 0.0, [finding, alone]).findings
    assert (first.stage, first.pass_, first.epoch, first.ranks) == ("validate", 0, 3, [0, 1])
    assert (second.stage, second.pass_, second.epoch) == (None, None, None)


class Batches:
    """A source of batches that ends."""

    def __init__(self, *batches: Any) -> None:
        self._batches = batches

    def batches(self) -> Any:
        yield from self._batches

    def stop(self) -> None:
        pass


def test_what_comes_with_the_last_batch_is_told_before_the_report() -> None:
    rank = FakeRank(0, world_size=1)
    herald: Any = Herald(Script([], [FAULT.finding("late", "fix")]))
    said: list[str] = []
    watch(
        Batches([rank.hello()]),
        Intake(Board()),
        herald,
        say=said.append,
        report=lambda run, now: said.append("report"),
        once=False,
    )
    assert said.index("warning DW999 late") < said.index("report")


def test_fail_on_takes_the_severity_and_all_above() -> None:
    board = board_of_one()
    herald: Any = Herald(Script([FAULT.finding("m", "f")]))
    assert [_fails(herald, board, bound) for bound in ("info", "warning", "error", None)] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(("bound", "code"), [("error", 1), ("info", 1), (None, None)])
def test_command_ends_with_1_where_something_graver_than_allowed_was_found(
    bound: Any, code: int | None
) -> None:
    rank = FakeRank(0, world_size=1)
    failed = Event(kind="exception", at=1.0, text="ValueError: boom")
    source: Any = Batches([rank.hello()], [rank.say(failed, 1.0), rank.bye(1.0)], [Tick(9.0)])
    ended = None
    try:
        narrate(source, "here", once=True, form="json", fail_on=bound)
    except SystemExit as leaving:
        ended = leaving.code
    assert ended == code
