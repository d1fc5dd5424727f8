"""One claim and one journal over several calls, and what a line tells."""

from __future__ import annotations

from typing import Any

import pytest

from ddpwatch.wire.messages import Bye, Event, Hello, Pulse
from ddpwatch_lightning import line
from ddpwatch_lightning.line import Line
from ddpwatch_lightning.passes import Pass


class Heard:
    """A publisher that keeps what it is given."""

    made: list[Heard]

    def __init__(self, *address: Any, **options: Any) -> None:
        self.address, self.options = address, options
        self.kept: list[Any] = []
        self.made.append(self)

    unheard = 0

    def open(self) -> None:
        self.kept.append("open")

    def keep(self, content: Any) -> None:
        self.kept.append(content)

    def close(self, reason: str, text: str, timeout: float) -> None:
        assert timeout <= 1.0
        self.kept.append(Bye(reason=reason, text=text))


@pytest.fixture
def publishers(monkeypatch: pytest.MonkeyPatch) -> list[Heard]:
    monkeypatch.setattr(Heard, "made", [], raising=False)
    monkeypatch.setattr(line, "Publisher", Heard)
    return Heard.made


def greeting() -> Hello:
    return Hello(name="run", world_size=1, node="host", pid=1, started=0.0)


def test_each_call_has_a_publisher_of_its_own_for_one_claim_and_journal(
    publishers: list[Heard],
) -> None:
    rank = Line("tcp://127.0.0.1:7787", "run", 0)
    for _ in range(2):
        rank.open(greeting())
        rank.close("finished")
    assert [each.kept for each in publishers[:2]] == [
        ["open", greeting(), Bye(reason="finished")]
    ] * 2
    assert len({each.address for each in publishers}) == 1
    assert len({id(each.options["journal"]) for each in publishers}) == 1


def test_two_lines_have_two_claims(publishers: list[Heard]) -> None:
    for _ in range(2):
        Line("tcp://127.0.0.1:7787", "run", 0)
    assert publishers[0].address[3] != publishers[1].address[3]


def test_events_say_in_which_pass_they_happened(publishers: list[Heard]) -> None:
    rank = Line("tcp://127.0.0.1:7787", "run", 0)
    rank.tell("pass_end", Pass("validate", 3, 2))
    rank.tell("exception", text="x" * 100_000)
    inside, outside = publishers[0].kept
    assert isinstance(inside, Event)
    assert (inside.kind, inside.stage, inside.pass_, inside.epoch) == ("pass_end", "validate", 3, 2)
    assert (outside.stage, len(outside.text)) == (None, 16_384)


def test_failures_are_told_once_and_counted_in_every_pulse(publishers: list[Heard]) -> None:
    rank = Line("tcp://127.0.0.1:7787", "run", 0)
    for _ in range(3):
        rank.failures.note("setup", ValueError("broken"))
    (event,) = publishers[0].kept
    assert (event.kind, event.text) == ("capture_failed", "setup: ValueError: broken")
    pulse = publishers[0].options["pulse"](Pulse(hook="setup", since=0.0, failures=2))
    assert pulse.failures == 5


def test_unheard_remarks_are_counted_over_all_calls(publishers: list[Heard]) -> None:
    rank = Line("tcp://127.0.0.1:7787", "run", 0)
    publishers[0].unheard = 3
    rank.close("finished")
    rank.note_unheard(4)
    publishers[1].unheard = 2
    assert publishers[0].options["pulse"](Pulse(hook="setup", since=0.0)).output_dropped == 9
