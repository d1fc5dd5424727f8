"""Does a pause end when closing begins, and is there still time for the last word?"""

from __future__ import annotations

import threading

import pytest

from ddpwatch.link.closing import Closing
from ddpwatch.wire.messages import Bye


def test_it_is_open_until_it_begins() -> None:
    closing = Closing()
    assert not closing.is_set
    assert closing.bye is None
    assert closing.deadline == float("inf")
    closing.begin(Bye(reason="finished"), 5.0)
    assert closing.is_set
    assert (closing.bye, closing.deadline) == (Bye(reason="finished"), 5.0)


@pytest.mark.timeout(30)
def test_beginning_ends_a_pause_and_makes_later_ones_short() -> None:
    closing = Closing()
    pausing = threading.Thread(target=closing.pause, args=(1000.0,))
    pausing.start()
    closing.begin(Bye(reason="finished"), 5.0)
    pausing.join()
    closing.pause(1000.0)
