"""Does the clock of a replay run as it is told to?"""

from __future__ import annotations

import pytest

from ddpwatch.recording.clock import ReplayClock


def test_it_starts_when_it_is_first_asked_and_stops_at_the_end() -> None:
    clock = ReplayClock(100.0, 110.0)
    assert [clock.at(now) for now in (7.0, 8.0, 16.9, 17.0, 99.0)] == [100, 101, 109.9, 110, 110]
    assert clock.is_over(17.0) and not ReplayClock(100.0, 110.0).is_over(0.0)


def test_pause_and_play() -> None:
    clock = ReplayClock(0.0, 100.0)
    clock.at(0.0)
    clock.pause(5.0)
    assert clock.at(50.0) == 5.0
    clock.play(50.0)
    assert clock.at(51.0) == 6.0


@pytest.mark.parametrize(("asked", "given"), [(4.0, 4.0), (0.01, 0.1), (1e6, 1000.0)])
def test_speed_counts_from_now_on(asked: float, given: float) -> None:
    clock = ReplayClock(0.0, 1e6)
    clock.at(0.0)
    clock.set_speed(asked, 10.0)
    assert clock.speed == given
    assert clock.at(11.0) == pytest.approx(10.0 + given)


@pytest.mark.parametrize(("to", "at"), [(50.0, 50.0), (-5.0, 0.0), (500.0, 100.0)])
def test_it_stays_within_the_recording(to: float, at: float) -> None:
    clock = ReplayClock(0.0, 100.0)
    clock.put(to, 3.0)
    assert clock.at(3.0) == at


def test_a_clock_that_is_set_back_does_not_take_the_replay_back() -> None:
    clock = ReplayClock(0.0, 100.0)
    clock.at(10.0)
    assert clock.at(5.0) == 0.0
