"""Does the journal keep what it must, within its bound, and know what which hub has?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ddpwatch.link.journal import Entry, Journal


def filled(count: int, *, limit: int = 10**6, size: int = 100) -> Journal:
    journal = Journal(limit)
    for number in range(1, count + 1):
        journal.append(b"x" * size, float(number))
    return journal


def test_entries_are_numbered_from_one_and_kept() -> None:
    journal = filled(3)
    assert journal.unacknowledged("a") == (1, 2, 3)
    assert journal.get(2) == Entry(2, 2.0, b"x" * 100)
    assert journal.get(4) is None


def test_an_acknowledgement_stops_repeats_within_its_session_only() -> None:
    journal = filled(3)
    journal.unacknowledged("a")
    journal.acknowledge("a", 2)
    assert journal.unacknowledged("a") == (3,)
    assert journal.unacknowledged("b") == (1, 2, 3)
    assert journal.unacknowledged("a") == (1, 2, 3)


def test_an_acknowledgement_of_another_session_is_not_heard() -> None:
    journal = filled(3)
    journal.unacknowledged("a")
    journal.acknowledge("b", 3)
    assert journal.unacknowledged("a") == (1, 2, 3)
    assert not journal.is_settled("a")


def test_acknowledgements_neither_go_back_nor_ahead_of_what_is_there() -> None:
    journal = filled(3)
    journal.unacknowledged("a")
    journal.acknowledge("a", 10**9)
    journal.acknowledge("a", 1)
    assert journal.is_settled("a")
    assert journal.append(b"y", 4.0) == 4
    assert journal.unacknowledged("a") == (4,)
    assert not journal.is_settled("a")


def test_an_empty_journal_is_settled_for_whoever_greeted() -> None:
    journal = Journal()
    assert not journal.is_settled("a")
    journal.unacknowledged("a")
    assert journal.is_settled("a")


def test_beyond_the_bound_the_oldest_go_and_are_counted() -> None:
    journal = filled(100, limit=2280)
    assert journal.unacknowledged("a") == tuple(range(91, 101))
    assert journal.lost == 90
    assert journal.nbytes <= 2280


def test_what_explains_the_rest_goes_last() -> None:
    journal = Journal(1000)
    journal.append(b"hello", 0.0, lasting=True)
    for _ in range(100):
        journal.append(b"x" * 100, 0.0)
    assert journal.unacknowledged("a")[0] == 1
    for _ in range(20):
        journal.append(b"declare" * 20, 0.0, lasting=True)
    assert journal.unacknowledged("a") == (119, 120, 121)


def test_a_body_beyond_the_bound_costs_no_other_entry() -> None:
    journal = filled(3, limit=1000)
    journal.append(b"x" * 1001, 0.0)
    assert journal.unacknowledged("a") == (1, 2, 3)
    assert journal.lost == 1
    journal.acknowledge("a", 3)
    assert journal.is_settled("a")


@given(
    st.integers(0, 3000),
    st.lists(st.tuples(st.integers(0, 900), st.booleans()), max_size=60),
)
def test_bound_and_order_hold_whatever_is_appended(limit: int, sizes) -> None:
    journal = Journal(limit)
    for size, lasting in sizes:
        journal.append(b"x" * size, 0.0, lasting=lasting)
        assert journal.nbytes <= limit
    numbers = journal.unacknowledged("a")
    assert list(numbers) == sorted(set(numbers))
    assert len(numbers) == journal.count == len(sizes) - journal.lost
    held = [journal.get(number) for number in numbers]
    assert journal.nbytes == sum(128 + len(entry.packed) for entry in held if entry)
