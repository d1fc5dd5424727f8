"""Does every hub that a rank lives to see get the whole journal, and no hub any of it twice?"""

from __future__ import annotations

from collections import Counter

from ddpwatch.link.journal import Journal
from tests.wire.ears import Ear, event, rank


def numbers(ear: Ear) -> list[int]:
    return [each.journal for each in ear.envelopes if each.journal]


def unused_address() -> str:
    with Ear() as ear:
        return ear.address


def test_a_late_hub_gets_all_of_it() -> None:
    address = unused_address()
    publisher = rank(address)
    for number in range(500):
        publisher.keep(event(str(number)))
    with Ear(address) as ear:
        ear.wait(lambda: len(numbers(ear)) >= 500)
        publisher.close("finished")
        ear.wait(lambda: "Bye" in ear.said)
        assert numbers(ear) == list(range(1, 502))


def test_a_hub_that_replaces_a_killed_one_gets_all_of_it_mid_stream() -> None:
    journal = Journal()
    with Ear() as first:
        address = first.address
        publisher = rank(address, journal)
        for number in range(200):
            publisher.keep(event(str(number)))
        first.wait(lambda: len(numbers(first)) >= 100)
    for number in range(200, 300):
        publisher.keep(event(str(number)))
    with Ear(address) as second:
        for number in range(300, 400):
            publisher.keep(event(str(number)))
        second.wait(lambda: len(numbers(second)) >= 400)
        publisher.close("finished")
        second.wait(lambda: "Bye" in second.said)
        assert numbers(second) == list(range(1, 402))
        assert second.said == [*[str(number) for number in range(400)], "Bye"]


def test_several_hubs_one_after_the_other_get_all_of_it() -> None:
    address = unused_address()
    publisher = rank(address)
    publisher.keep(event("first"))
    for _ in range(3):
        with Ear(address) as ear:
            ear.wait(lambda: "first" in ear.said)
    publisher.close("finished")


def test_a_hub_that_forgot_a_connection_gets_only_the_rest() -> None:
    journal = Journal()
    with Ear() as ear:
        publisher = rank(ear.address, journal)
        for number in range(3):
            publisher.keep(event(str(number)))
        ear.wait(lambda: journal._acknowledged == 3)
        ear.hub._peers.proven.clear()
        publisher.keep(event("3"))
        ear.wait(lambda: "unauthenticated" in ear.rejected and "3" in ear.said)
        publisher.close("finished")
        ear.wait(lambda: "Bye" in ear.said)
        assert Counter(numbers(ear)) == Counter([1, 2, 3, 4, 5])


def test_the_next_publisher_continues_journal_and_numbers() -> None:
    journal = Journal()
    with Ear() as ear:
        for kind in ("fit", "test"):
            publisher = rank(ear.address, journal)
            publisher.keep(event(kind))
            ear.wait(lambda kind=kind: kind in ear.said)
            publisher.close("finished")
        ear.wait(lambda: ear.said.count("Bye") == 2)
        assert ear.said == ["fit", "Bye", "test", "Bye"]
        assert numbers(ear) == [1, 2, 3, 4]
        assert [each.seq for each in ear.envelopes] == list(range(1, len(ear.envelopes) + 1))


def test_a_journal_beyond_its_bound_says_how_much_is_missing() -> None:
    address = unused_address()
    publisher = rank(address, Journal(limit=20_000))
    for number in range(1000):
        publisher.keep(event(str(number)))
    with Ear(address) as ear:
        ear.wait(lambda: ear.pulses)
        kept = ear.said
        assert kept == [str(number) for number in range(1000 - len(kept), 1000)]
        assert ear.pulses[0].journal_lost == 1000 - len(kept) > 0
        publisher.close("finished")
