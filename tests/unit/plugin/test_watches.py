"""One watch for all calls of a Trainer, none shared with another Trainer or process."""

from __future__ import annotations

import copy
import os
import pickle
from types import SimpleNamespace
from typing import Any

import pytest

from ddpwatch.errors import UsageError
from ddpwatch_lightning import watches
from ddpwatch_lightning.arguments import Arguments
from ddpwatch_lightning.tracked import Selection
from ddpwatch_lightning.watches import Watches


class FakeTrainer(SimpleNamespace):
    """As much of a Trainer as is looked at, told apart by identity as Trainers are."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


def trainer() -> Any:
    return FakeTrainer(num_nodes=1, global_rank=0)


def made(name: str | None = "run") -> Watches:
    return Watches(Arguments(None, name, "auto", Selection(), None))


def run_of(watch: Any) -> str:
    return str(watch.line._address[1])


def test_a_trainer_keeps_its_watch_and_another_gets_another() -> None:
    ours, first, second = made(), trainer(), trainer()
    watch = ours.of(first)
    assert ours.of(first) is watch
    assert ours.of(second) is not watch
    assert run_of(ours.of(second)) != run_of(watch)


def test_a_trainer_has_one_number_whoever_watches_it() -> None:
    first = trainer()
    assert run_of(made().of(first)) == run_of(made().of(first))


def test_in_a_forked_process_the_watch_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, first = made(), trainer()
    watch = ours.of(first)
    monkeypatch.setattr(os, "getpid", lambda: watch.line.pid + 1)
    assert ours.of(first) is not watch


def test_in_another_process_the_order_of_the_callbacks_numbers_the_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = made(), made()
    there = os.getpid() + 1
    monkeypatch.setattr(watches.os, "getpid", lambda: there)
    numbers = [run_of(each.of(trainer())).partition(".")[2] or "0" for each in (first, second)]
    assert int(numbers[1]) == int(numbers[0]) + 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_copy_starts_anew(copied: Any) -> None:
    ours, first = made(), trainer()
    watch = ours.of(first)
    assert copied(ours).of(first) is not watch
    assert run_of(copied(ours).of(first)) == run_of(watch)


def test_an_environment_without_a_usable_address_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DDPWATCH", "no address at all")
    with pytest.raises(UsageError, match="DDPWATCH"):
        made().of(trainer())
