"""Are findings of a run kept, told apart, and looked for only where something has changed?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ddpwatch.board.board import Board
from ddpwatch.board.findings_told import case_of
from ddpwatch.board.snapshot import Finding, PassKey, View
from ddpwatch.findings import diagnosis as module
from ddpwatch.findings.diagnosis import Diagnosis, Proven
from ddpwatch.findings.evidence import Evidence
from ddpwatch.findings.rule import Fault, Rule, is_at_least
from ddpwatch.wire.messages import Event
from ddpwatch.wire.stamped import Tick
from tests.unit.board.builders import FakeRank, counts, multiclass
from tests.unit.findings.builders import KEY, evidence

FAULT = Fault("DW999", "warning", "title", "why")
SHARDS = (([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), ([0, 1, 2, 2], [0, 0, 1, 2]))


def yields(*findings: Finding) -> Rule:
    return Rule(FAULT, lambda _: iter(findings))


def looked(*looks: tuple[float, tuple[Finding, ...]]) -> list[Finding]:
    proven = Proven()
    for now, findings in looks:
        proven.look(replace(evidence(), now=now), [yields(*findings)])
    return list(proven.cases.values())


def test_a_finding_stays_and_gets_newer_numbers_but_keeps_its_first_time() -> None:
    old = FAULT.finding("0.1", "fix", key="f1", pass_key=KEY)
    new = FAULT.finding("0.2", "fix", key="f1", pass_key=KEY._replace(pass_=4, epoch=4))
    (finding,) = looked((1.0, (old,)), (2.0, (new,)), (3.0, ()))
    assert (finding.message, finding.first_at) == ("0.2", 1.0)
    assert finding.pass_key is not None
    assert finding.pass_key.epoch == 4


def test_a_slighter_case_does_not_replace_a_graver_one() -> None:
    grave = FAULT.finding("grave", "fix", key="f1", severity="error")
    slight = FAULT.finding("slight", "fix", key="f1", severity="info")
    assert [each.message for each in looked((1.0, (grave,)), (2.0, (slight,)))] == ["grave"]
    assert [each.message for each in looked((1.0, (slight,)), (2.0, (grave,)))] == ["grave"]


def test_keys_stages_and_loaders_are_told_apart() -> None:
    findings = (
        FAULT.finding("a", "fix", key="f1", pass_key=KEY),
        FAULT.finding("b", "fix", key="f2", pass_key=KEY),
        FAULT.finding("c", "fix", key="f1", pass_key=KEY._replace(stage="test")),
        FAULT.finding("d", "fix", key="f1", pass_key=KEY._replace(dataloader=1)),
        FAULT.finding("e", "fix", key="f1"),
    )
    assert len({case_of(each) for each in findings}) == 5
    assert [each.message for each in looked((1.0, findings))] == ["a", "b", "c", "d", "e"]


def test_what_explains_it_takes_back_what_a_late_viewer_proved_too_early() -> None:
    """Of a metric that two stages share, one has seen only the half."""
    early = Rule(FAULT, lambda _: iter([FAULT.finding("not reset", "", key="f1", pass_key=KEY)]))
    other = Rule(FAULT, lambda _: iter([FAULT.finding("not reset", "", key="f2", pass_key=KEY)]))
    why = replace(FAULT, code="DW998", replaces=("DW999",))
    late = Rule(why, lambda _: iter([why.finding("shared", "", key="f1", pass_key=KEY)]))
    proven = Proven()
    proven.look(evidence(), [early, other])
    proven.look(evidence(), [late])
    proven.look(evidence(), [early, other])
    assert [each.message for each in proven.ordered()] == ["shared", "not reset"]
    assert [each.key for each in proven.ordered()] == ["f1", "f2"]


def test_severities_have_an_order() -> None:
    assert is_at_least("error", "warning")
    assert is_at_least("warning", "warning")
    assert not is_at_least("info", "warning")


class Watcher:
    """Stands in for all rules and notes which passes it was shown."""

    def __init__(self) -> None:
        self.shown: list[list[PassKey]] = []

    def find(self, of: Evidence) -> Iterator[Finding]:
        self.shown.append([each.key for each in of.passes])
        return iter(())


@pytest.fixture
def watcher(monkeypatch: pytest.MonkeyPatch) -> Watcher:
    watcher = Watcher()
    monkeypatch.setattr(module.Proven, "look", lambda _, of: list(watcher.find(of)), raising=True)
    return watcher


def epoch(ranks: list[FakeRank], number: int, *, final: bool, at: float) -> list[Any]:
    return [
        rank.state(0, counts(*shard), epoch=number, pass_=number, final=final, at=at)
        for rank, shard in zip(ranks, SHARDS, strict=True)
    ]


def begun() -> tuple[Board, list[FakeRank]]:
    board, ranks = Board(), [FakeRank(0), FakeRank(1)]
    for rank in ranks:
        board.fold([rank.hello(), rank.declare(multiclass("val_f1"))])
    return board, ranks


def test_only_passes_that_changed_are_looked_at(watcher: Watcher) -> None:
    board, ranks = begun()
    diagnose, run = Diagnosis(), board.runs["r"]
    for number in range(5):
        board.fold(epoch(ranks, number, final=True, at=float(number)))
        diagnose.findings(run, float(number))
    assert [[key.epoch for key in shown] for shown in watcher.shown] == [[0], [1], [2], [3], [4]]
    diagnose.findings(run, 4.5)
    assert watcher.shown[-1] == []
    board.fold(epoch(ranks, 5, final=False, at=5.0))
    diagnose.findings(run, 5.0)
    board.fold(epoch(ranks, 5, final=True, at=6.0))
    diagnose.findings(run, 6.0)
    assert [[key.epoch for key in shown] for shown in watcher.shown[-2:]] == [[5], [5]]


def test_looks_have_a_pause_between_them_but_the_last_one_sees_all(watcher: Watcher) -> None:
    board, ranks = begun()
    diagnose, run = Diagnosis(), board.runs["r"]
    diagnose.findings(run, 1.0)
    board.fold(epoch(ranks, 0, final=True, at=1.1))
    diagnose.findings(run, 1.1)
    assert watcher.shown == [[]]
    diagnose.conclude(run, 1.1)
    assert [key.epoch for key in watcher.shown[-1]] == [0]


def test_board_shows_what_was_found_live_and_keeps_it() -> None:
    board, ranks = Board(diagnosis=Diagnosis()), [FakeRank(0), FakeRank(1)]
    for rank in ranks:
        board.fold([rank.hello(), rank.declare(multiclass("val_f1"))])
    board.fold([ranks[1].say(Event(kind="exception", at=2.0, text="ValueError: boom"), 2.0)])
    run = board.snapshot(View()).run
    assert run is not None
    (finding,) = run.findings
    assert (finding.code, finding.first_at) == ("DW401", 2.0)
    board.fold([Tick(20.0)])
    run = board.snapshot(View()).run
    assert run is not None
    assert [each.code for each in run.findings] == ["DW401"]


def test_metric_that_is_never_reset_is_found_from_messages_alone() -> None:
    board, ranks = begun()
    diagnose, run = Diagnosis(), board.runs["r"]
    for stage, number, updates in (
        ("sanity_check", 0, 1),
        ("validate", 0, 3),
        ("validate", 1, 5),
        ("validate", 2, 7),
    ):
        fresh = 1 if stage == "sanity_check" else 2
        for rank, shard in zip(ranks, SHARDS, strict=True):
            board.fold(
                [
                    rank.state(
                        updates - 1, counts(*shard), stage=stage, epoch=number, pass_=number,
                        fresh=fresh, final=True,
                    )
                ]
            )  # fmt: skip
        found = diagnose.conclude(run, updates / 10)
    told = {each.code: each.message for each in found if each.code != "DW204"}
    assert set(told) == {"DW301", "DW302"}
    assert "3 epochs and the sanity check in it" in told["DW301"]
    assert "1 came from the sanity check" in told["DW302"]
