"""Does what a rank hands over arrive once, in order, numbered, made off the training thread?"""

from __future__ import annotations

import threading

from ddpwatch.link.journal import Journal
from ddpwatch.wire.messages import Bye, Declare, Event, Hello, Progress, State
from tests.wire.ears import Ear, event, rank

HELLO = Hello(name="digits", world_size=1, node="n", pid=1, started=0.0)


def test_everything_arrives_in_order_and_the_last_word_last() -> None:
    with Ear() as ear:
        publisher = rank(ear.address)
        publisher.keep(HELLO)
        publisher.keep(Declare(version=1))
        publisher.queue(event("queued"))
        publisher.latest("state", State(stage="train", pass_=0, epoch=0, step=0))
        ear.wait(lambda: "State" in ear.said)
        publisher.close("finished", "all epochs")
        ear.wait(lambda: "Bye" in ear.said)
        assert ear.said == ["Hello", "Declare", "queued", "State", "Bye"]
        assert [each.seq for each in ear.envelopes] == list(range(1, len(ear.envelopes) + 1))
        last = ear.envelopes[-1]
        assert last.body == Bye(reason="finished", text="all epochs")
        assert (last.run, last.rank, last.claim, last.journal) == ("run", 0, "claim", 3)
        assert ear.rejected == []


def test_content_left_just_before_closing_arrives() -> None:
    with Ear() as ear:
        publisher = rank(ear.address)
        publisher.keep(HELLO)
        ear.wait(lambda: "Hello" in ear.said)
        for number in range(50):
            publisher.keep(event(f"kept{number}"))
            publisher.queue(event(f"queued{number}"))
            publisher.latest("progress", Progress(stage="train", pass_=0, epoch=0, step=number))
        publisher.close("finished")
        ear.wait(lambda: "Bye" in ear.said)
        assert {f"kept{number}" for number in range(50)} <= set(ear.said)
        assert {f"queued{number}" for number in range(50)} <= set(ear.said)
        steps = [each.body.step for each in ear.envelopes if isinstance(each.body, Progress)]
        assert steps[-1] == 49
        assert ear.said[-1] == "Bye"


def test_functions_run_on_the_publishers_thread() -> None:
    where: list[int] = []

    def make() -> Event:
        where.append(threading.get_ident())
        return event("made")

    with Ear() as ear:
        publisher = rank(ear.address)
        publisher.keep(make)
        publisher.queue(make)
        publisher.latest("slot", make)
        ear.wait(lambda: ear.said.count("made") == 3)
        publisher.close("finished")
    assert len(set(where)) == 1
    assert threading.get_ident() not in where


def test_nothing_is_taken_or_said_after_closing() -> None:
    with Ear() as ear:
        publisher = rank(ear.address)
        publisher.keep(HELLO)
        ear.wait(lambda: "Hello" in ear.said)
        publisher.close("finished")
        publisher.keep(event("late"))
        publisher.queue(event("late"))
        publisher.latest("slot", event("late"))
        publisher.close("exception")
        publisher.open()
        with Ear() as other:
            second = rank(ear.address)
            second.keep(event("later still"))
            ear.wait(lambda: "later still" in ear.said)
            second.close("finished")
            assert other.said == []
        assert ear.said == ["Hello", "Bye", "later still", "Bye"]


def test_drops_leave_a_gap_in_the_numbers_and_are_counted_in_the_pulse() -> None:
    with Ear() as ear:
        address = ear.address
    publisher = rank(address)
    for number in range(100):
        publisher.queue(event(str(number)))
    with Ear(address) as ear:
        ear.wait(lambda: ear.pulses)
        publisher.close("finished")
        ear.wait(lambda: "Bye" in ear.said)
        assert ear.said == [*[str(number) for number in range(36, 100)], "Bye"]
        assert ear.envelopes[0].seq == 37
        assert ear.pulses[0].dropped == 36


def test_large_and_small_messages_share_the_way() -> None:
    with Ear() as ear:
        journal = Journal()
        publisher = rank(ear.address, journal)
        for number in range(300):
            publisher.keep(event(str(number), text="x" * (16_000 if number % 3 else 1)))
        publisher.close("finished")
        ear.wait(lambda: "Bye" in ear.said)
        assert ear.said == [*[str(number) for number in range(300)], "Bye"]
        assert journal.tally.bytes_sent > 200 * 16_000


def test_several_publishers_at_once_do_not_mix() -> None:
    with Ear() as ear:
        publishers = [rank(ear.address) for _ in range(8)]
        for publisher in publishers:
            for number in range(100):
                publisher.keep(event(str(number)))
        for publisher in publishers:
            publisher.close("finished")
        ear.wait(lambda: ear.said.count("Bye") == 8)
        assert ear.said.count("99") == 8
        assert len(ear.said) == 8 * 101
