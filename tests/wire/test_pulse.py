"""Is a rank seen to live while its training thread is stuck, and seen where?"""

from __future__ import annotations

import msgspec
import pytest

from ddpwatch.link import pulse
from tests.wire.ears import Ear, event, rank


def stuck_in_here(ear: Ear, count: int) -> None:
    ear.wait(lambda: len(ear.pulses) >= count)


def test_pulses_go_on_and_show_where_the_thread_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "STUCK_AFTER", 0.5)
    with Ear() as ear:
        publisher = rank(ear.address)
        publisher.here("on_validation_epoch_end", "val_f1")
        stuck_in_here(ear, 3)
        publisher.close("finished")
    first, *_, last = ear.pulses
    assert (last.hook, last.key) == ("on_validation_epoch_end", "val_f1")
    assert last.since > first.since
    assert "stuck_in_here" in last.stack
    assert ear.rejected == []


def test_the_caller_adds_to_every_pulse() -> None:
    with Ear() as ear:
        publisher = rank(ear.address, pulse=lambda made: msgspec.structs.replace(made, failures=41))
        ear.wait(lambda: ear.pulses)
        publisher.close("finished")
    assert ear.pulses[0].failures == 41


def test_a_caller_that_fails_at_it_is_counted_and_costs_the_pulse_only() -> None:
    def broken(made):
        raise ValueError("no")

    with Ear() as ear:
        publisher = rank(ear.address, pulse=broken)
        publisher.keep(event("kept"))
        ear.wait(lambda: "kept" in ear.said)
        publisher.close("finished")
        ear.wait(lambda: "Bye" in ear.said)
        assert ear.pulses == []
        assert publisher._journal.tally.failures >= 1
