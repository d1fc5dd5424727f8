"""Calls of a pass become a message, and never pile up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import torch

from ddpwatch_lightning import ledger as ledgers
from ddpwatch_lightning.cuda import Moment
from ddpwatch_lightning.ledger import Ledger
from ddpwatch_lightning.passes import Pass

VALUE = torch.tensor(2.0)
HERE = Pass("train", 3, 2).position()


class Later:
    """What is to be done on the publisher's thread."""

    def __init__(self, ever: bool = True) -> None:
        self.ever = ever
        self.chores: list[Callable[[], object]] = []

    def __call__(self, chore: Callable[[], object]) -> bool:
        self.chores.append(chore)
        return self.ever


def call(ledger: Ledger, name: str = "loss") -> None:
    key = ("training_step", name, -1)
    entry = ledger.entries.get(key) or ledger.enter(key, VALUE, {})
    if entry is not None:
        ledger.pending.append((entry, VALUE, 4, 0, None))


def test_a_message_holds_all_calls_so_far() -> None:
    ledger = Ledger(Later())
    for _ in range(3):
        call(ledger)
    said = ledger.message(HERE, 5)
    assert (said.stage, said.pass_, said.epoch, said.declare, said.final) == (
        "train",
        3,
        2,
        5,
        False,
    )
    assert [(key.name, key.calls, key.weighted_sum) for key in said.keys] == [("loss", 3, 24.0)]
    call(ledger)
    assert ledger.message(HERE, 5).keys[0].calls == 4


def test_a_key_without_a_call_yet_is_in_no_message() -> None:
    ledger = Ledger(Later())
    call(ledger)
    ledger.enter(("training_step", "next", -1), VALUE, {})
    assert [key.name for key in ledger.message(HERE, 0).keys] == ["loss"]


def test_without_a_hub_the_calls_are_added_up_all_the_same() -> None:
    later = Later()
    ledger = Ledger(later)
    for _ in range(ledgers.MOST_PENDING - 1):
        call(ledger)
    ledger.relieve()
    assert later.chores == []
    for _ in range(5):
        call(ledger)
        ledger.relieve()
    (chore,) = later.chores
    chore()
    assert not ledger.pending
    assert ledger.message(HERE, 0).keys[0].calls == ledgers.MOST_PENDING + 4


def test_where_nobody_will_ever_ask_nothing_is_kept() -> None:
    ledger = Ledger(Later(ever=False))
    for _ in range(3 * ledgers.MOST_PENDING):
        call(ledger)
        ledger.relieve()
    assert len(ledger.pending) < ledgers.MOST_PENDING


def test_keys_beyond_the_bound_are_counted_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledgers, "MOST_KEYS", 3)
    ledger = Ledger(Later())
    for _ in range(2):
        for number in range(5):
            call(ledger, f"key{number}")
    said = ledger.message(HERE, 0)
    assert [key.name for key in said.keys] == ["key0", "key1", "key2"]
    assert said.more_keys == 2


def test_only_the_tensors_of_a_hook_start_over() -> None:
    ledger = Ledger(Later())
    call(ledger)
    ledger.start_over("training_step")
    ledger.start_over("on_train_epoch_end")
    call(ledger)
    ledger.message(HERE, 0)
    (entry,) = ledger.entries.values()
    assert (entry.calls, entry.held.total, entry.sums.total) == (2, 2.0, 4.0)


class Reached(Moment):
    """A moment of a GPU that there is not."""

    waits: int = 0

    def __init__(self) -> None:
        """Mark nothing."""

    @contextmanager
    def passed(self) -> Iterator[None]:
        Reached.waits += 1
        yield


def test_with_a_gpu_only_calls_before_a_moment_are_added_up_once_it_has_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ledgers, "moment", Reached)
    monkeypatch.setattr(ledgers, "uses_gpu", lambda: True)
    ledger = Ledger(Later())
    call(ledger)
    assert ledger.message(HERE, 0).keys == ()
    call(ledger)
    ledger.mark()
    call(ledger)
    assert ledger.message(HERE, 0).keys[0].calls == 2
    assert Reached.waits == 1
    ledger.mark()
    assert ledger.message(HERE, 0).keys[0].calls == 3
