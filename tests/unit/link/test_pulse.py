"""What does a pulse say, and when does the stack go along?"""

from __future__ import annotations

import threading

import msgspec

from ddpwatch.link.journal import Tally
from ddpwatch.link.outbox import Place
from ddpwatch.link.pulse import Heart
from ddpwatch.wire.messages import Pulse

TALLY = Tally(seq=9, dropped=1, failures=2, bytes_sent=4)


def heart(amend=None) -> Heart:
    return Heart(threading.get_ident(), amend)


def test_it_is_due_at_once_and_then_once_a_second() -> None:
    beating = heart()
    assert beating.is_due(100.0)
    beating.beat(100.0, Place("", "", 100.0), TALLY, 0)
    assert not beating.is_due(100.9)
    assert beating.is_due(101.0)


def test_it_carries_the_place_and_the_counts() -> None:
    pulse = heart().beat(11.5, Place("on_train_batch_end", "f1", 10.0), TALLY, 3)
    assert pulse == Pulse(
        hook="on_train_batch_end",
        key="f1",
        since=1.5,
        dropped=1,
        failures=2,
        journal_lost=3,
        bytes_sent=4,
    )


def test_after_three_seconds_in_one_place_it_shows_the_stack() -> None:
    beating = heart()
    assert beating.beat(12.9, Place("h", "", 10.0), TALLY, 0).stack == ""
    assert "test_after_three_seconds" in beating.beat(13.0, Place("h", "", 10.0), TALLY, 0).stack


def test_a_place_entered_after_the_clock_was_read_is_not_in_the_future() -> None:
    assert heart().beat(10.0, Place("h", "", 10.1), TALLY, 0).since == 0.0


def test_names_fit_into_their_bound() -> None:
    pulse = heart().beat(10.0, Place("h" * 600, "k" * 600, 10.0), TALLY, 0)
    assert (len(pulse.hook), len(pulse.key)) == (512, 512)


def test_the_caller_may_add_to_it() -> None:
    beating = heart(lambda pulse: msgspec.structs.replace(pulse, failures=pulse.failures + 5))
    assert beating.beat(10.0, Place("h", "", 10.0), TALLY, 0).failures == 7
