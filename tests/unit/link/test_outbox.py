"""What does the publisher's thread find, whatever the training thread left and when?"""

from __future__ import annotations

import threading

from ddpwatch.link.outbox import Outbox, Packed
from ddpwatch.wire.messages import Event


def event(kind: str) -> Event:
    return Event(kind=kind, at=0.0)


def queued(outbox: Outbox) -> list[object]:
    found = []
    while (content := outbox.next_queued()) is not None:
        found.append(content)
    return found


def test_kept_content_comes_in_order_and_is_never_dropped() -> None:
    outbox = Outbox(queue_length=2)
    for number in range(100):
        outbox.keep(event(str(number)))
    kinds = [outbox.next_kept().kind for _ in range(100)]
    assert kinds == [str(number) for number in range(100)]
    assert outbox.next_kept() is None
    assert outbox.overflowed == 0


def test_the_queue_drops_its_oldest_and_counts_them() -> None:
    outbox = Outbox(queue_length=3)
    for number in range(10):
        outbox.queue(event(str(number)))
    assert [each.kind for each in queued(outbox)] == ["7", "8", "9"]
    assert outbox.overflowed == 7


def test_only_the_newest_of_a_slot_is_left() -> None:
    outbox = Outbox()
    for number in range(10):
        outbox.latest("a", event(f"a{number}"))
    outbox.latest(("b", 1), event("b"))
    assert outbox.take_latest() == {"a": event("a9"), ("b", 1): event("b")}
    assert outbox.take_latest() == {}


def test_what_found_no_room_gives_way_to_what_is_newer() -> None:
    outbox = Outbox()
    outbox.put_back("a", Packed(b"old"))
    outbox.latest("b", event("new"))
    outbox.put_back("b", Packed(b"old"))
    assert outbox.take_latest() == {"a": Packed(b"old"), "b": event("new")}


def test_it_is_empty_only_when_nothing_is_left_anywhere() -> None:
    outbox = Outbox()
    assert outbox.is_empty()
    for leave in (outbox.keep, outbox.queue, lambda content: outbox.latest("a", content)):
        leave(event("x"))
        assert not outbox.is_empty()
        outbox.next_kept(), outbox.next_queued(), outbox.take_latest()
        assert outbox.is_empty()


def test_shutting_forgets_everything() -> None:
    outbox = Outbox()
    outbox.keep(event("x"))
    outbox.queue(event("x"))
    outbox.latest("a", event("x"))
    outbox.shut()
    assert outbox.is_empty()
    assert outbox.is_shut


def test_a_place_is_read_from_a_plain_tuple() -> None:
    outbox = Outbox()
    assert outbox.place[:2] == ("", "")
    outbox.where = ("on_train_batch_end", "f1", 7.0)
    assert (outbox.place.hook, outbox.place.key, outbox.place.since) == outbox.where


def test_chores_come_in_their_order_and_are_forgotten_when_shut() -> None:
    outbox, done = Outbox(), []
    for number in range(3):
        outbox.later(lambda number=number: done.append(number))
    for _ in range(2):
        chore = outbox.next_chore()
        assert chore is not None
        chore()
    assert done == [0, 1]
    outbox.shut()
    assert outbox.next_chore() is None


def test_two_threads_lose_nothing_between_them() -> None:
    outbox, taken, count = Outbox(queue_length=8), [], 20_000
    newest: dict[object, object] = {}

    def leave() -> None:
        for number in range(count):
            outbox.queue(event(str(number)))
            outbox.latest(number % 3, event(str(number)))

    filler = threading.Thread(target=leave)
    filler.start()
    while filler.is_alive():
        taken += queued(outbox)
        newest |= outbox.take_latest()
    taken += queued(outbox)
    newest |= outbox.take_latest()
    numbers = [int(each.kind) for each in taken]
    assert numbers == sorted(set(numbers))
    assert len(numbers) + outbox.overflowed == count
    assert sorted(int(each.kind) for each in newest.values()) == [count - 3, count - 2, count - 1]


def test_remarks_come_after_the_queue_and_drop_only_each_other() -> None:
    outbox = Outbox(queue_length=3, remarks_length=2)
    for number in range(4):
        outbox.remark(event(f"remark {number}"))
    outbox.queue(event("queued"))
    assert not outbox.is_empty()
    assert [each.kind for each in queued(outbox)] == ["queued", "remark 2", "remark 3"]
    assert (outbox.unheard, outbox.overflowed) == (2, 0)
    outbox.remark(event("last"))
    outbox.shut()
    assert outbox.is_empty()
