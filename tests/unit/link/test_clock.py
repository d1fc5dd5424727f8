"""Does receive time follow the monotonic clock, wherever the wall clock goes?"""

from __future__ import annotations

from ddpwatch.link.clock import ReceiveClock


def test_it_starts_at_wall_time_and_goes_on_by_the_monotonic_clock() -> None:
    walls, ticks = iter([1000.0, -5.0]), iter([7.0, 7.0, 8.5])
    clock = ReceiveClock(lambda: next(walls), lambda: next(ticks))
    assert clock() == 1000.0
    assert clock() == 1001.5
