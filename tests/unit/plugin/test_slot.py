"""The newest message goes out, and the publisher is told only once for each that it takes."""

from __future__ import annotations

from collections.abc import Callable

from ddpwatch.wire.messages import Body, Event
from ddpwatch_lightning.slot import Slot


class Outbox:
    def __init__(self) -> None:
        self.told: list[tuple[str, Callable[[], Body]]] = []

    def latest(self, slot: str, content: Callable[[], Body]) -> None:
        self.told.append((slot, content))


def event(kind: str) -> Event:
    return Event(kind=kind, at=0.0)


def test_the_publisher_is_told_once_and_gets_the_newest() -> None:
    outbox = Outbox()
    slot = Slot(outbox, "state train")
    for kind in ("a", "b", "c"):
        slot.put(lambda kind=kind: event(kind))
    ((name, content),) = outbox.told
    assert name == "state train"
    assert content() == event("c")


def test_after_it_took_one_it_is_told_again() -> None:
    outbox = Outbox()
    slot = Slot(outbox, "state train")
    slot.put(lambda: event("a"))
    outbox.told.pop()[1]()
    slot.put(lambda: event("b"))
    assert outbox.told.pop()[1]() == event("b")


def test_what_comes_while_one_is_made_is_told_again() -> None:
    outbox = Outbox()
    slot = Slot(outbox, "state train")

    def slow() -> Event:
        slot.put(lambda: event("b"))
        return event("a")

    slot.put(slow)
    assert outbox.told.pop()[1]() == event("a")
    assert outbox.told.pop()[1]() == event("b")


def test_one_that_cannot_be_made_does_not_block_the_next() -> None:
    outbox = Outbox()
    slot = Slot(outbox, "state train")
    slot.put(lambda: event(1 / 0))  # type: ignore[arg-type]
    try:
        outbox.told.pop()[1]()
    except ZeroDivisionError:
        slot.put(lambda: event("b"))
    assert outbox.told.pop()[1]() == event("b")
