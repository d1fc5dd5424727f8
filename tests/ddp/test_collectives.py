"""Being watched runs no collective: a spy sees the same ones in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.ddp import ranks
from tests.ddp.collectives import Spy, sequence_number
from tests.ddp.ear import Ear
from tests.ddp.training import Model, loader, rank, trainer

pytestmark = pytest.mark.ddp

WORLD = 2


class Counting(Model):
    """Notes how many collectives there were, also those of C++ code, at the end of each call."""

    def __init__(self, numbers: list[int]) -> None:
        super().__init__()
        self.numbers = numbers

    def on_train_batch_end(self, *_: Any) -> None:
        self.numbers.append(sequence_number())

    def on_validation_end(self) -> None:
        self.numbers.append(sequence_number())

    def teardown(self, stage: str) -> None:
        self.numbers.append(sequence_number())


def spied_on(active: tuple[int, ...], endpoint: str) -> tuple[list[str], list[int]]:
    from ddpwatch_lightning import DDPWatch

    callbacks = [DDPWatch(endpoint, every=1)] if rank() in active else []
    spy, numbers = Spy(), []
    model = Counting(numbers)
    fitting = trainer(*callbacks, max_epochs=2, val_check_interval=0.5)
    fitting.fit(model, loader(32), [loader(16), loader(8, seed=1)])
    fitting.validate(model, loader(16), verbose=False)
    fitting.test(model, loader(16), verbose=False)
    fitting.predict(model, loader(8))
    return spy.calls, numbers


@pytest.fixture(scope="module")
def unwatched() -> list[Any]:
    return ranks.run(spied_on, WORLD, (), "")


@pytest.fixture(params=["with a hub", "without a hub"])
def endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "without a hub":
        yield f"127.0.0.1:{ranks.free_port()}"
        return
    with Ear() as ear:
        yield ear.address
        assert all(ear.finals(each) for each in {item.rank for item in ear.envelopes})


def test_the_spy_sees_collectives_of_every_stage(unwatched: list[Any]) -> None:
    calls, numbers = unwatched[0]
    names = {call.partition("[")[0] for call in calls}
    assert {"all_reduce", "all_gather", "broadcast", "barrier"} <= names
    assert numbers == sorted(numbers)
    # DDP's own reductions are asked for by C++ code and seen in the numbers alone.
    assert numbers[-1] > len(calls)


@pytest.mark.parametrize("active", [(0, 1), (0,), (1,)])
def test_the_same_collectives_in_the_same_order(
    unwatched: list[Any], endpoint: str, active: tuple[int, ...]
) -> None:
    assert ranks.run(spied_on, WORLD, active, endpoint) == unwatched
