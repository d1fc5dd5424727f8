"""Whatever happens to ddpwatch, training ends with the same weights and the same logged values."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from typing import Any, final

import pytest
import torch

from tests.ddp import ranks
from tests.ddp.ear import Ear
from tests.ddp.training import Model, loader, trainer

pytestmark = pytest.mark.ddp

WORLD = 2
PLACES = {
    "packing.Packed.__init__": "every copy of states",
    "describe.describe": "every declaration",
    "reports.state": "every state message",
    "tracked.find": "the search for metrics",
    "batch_size.batch_size": "reading a batch",
    "captures.Captures.improve": "the look at a metric that is reset",
    "greeting.hello": "the greeting",
    "line.Line.tell": "every event",
    "logbook.Logbook.open": "the beginning of hearing what is logged",
    "logbook.Logbook.begin": "every pass in which something is logged",
    "logged.ResultsTap._note": "every call of self.log",
    "log_calls.about": "every key's first call",
    "emitted.given_of": "what Lightning ends a pass with",
    "monitors.held": "what monitors hold",
    "tally.fold": "adding up what was logged",
    "origins.Sources.snapshot": "the look at what metrics returned",
    "samplers.Samplers.refresh": "reading loaders and samplers",
    "checksum.Checksum.add": "the sum over samples",
    "loggers.Loggers.start": "listening to loggers",
    "output.Printed.start": "listening to output",
    "circumstances.Circumstances.now": "every line and call that is heard",
}
"""Where an exception is forced, and what it spoils."""


class ForcedError(Exception):
    """Raised where a test asks for it."""


def break_at(place: str) -> None:
    """Let a function raise, wherever it was imported to."""
    import sys

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ForcedError(place)

    module, _, name = place.partition(".")
    if "." in name:
        cls, _, method = name.partition(".")
        setattr(getattr(sys.modules[f"ddpwatch_lightning.{module}"], cls), method, broken)
        return
    for each in [m for key, m in sys.modules.items() if key.startswith("ddpwatch_lightning")]:
        if hasattr(each, name) and callable(getattr(each, name)):
            setattr(each, name, broken)


def outcome(model: Model, fitted: Any) -> dict[str, Any]:
    logged = {name: float(value) for name, value in fitted.callback_metrics.items()}
    weights = {name: value.tolist() for name, value in model.state_dict().items()}
    return {"logged": logged, "weights": weights, "random": torch.rand(3).tolist()}


def trained(watched: bool, endpoint: str | None = None, place: str = "") -> dict[str, Any]:
    logging.disable()
    torch.manual_seed(3)
    callbacks = []
    if watched:
        from ddpwatch_lightning import DDPWatch

        if place:
            break_at(place)
        callbacks = [DDPWatch(endpoint, every=1)]
    model = Model()
    fitting = trainer(*callbacks, max_epochs=2)
    fitting.fit(model, loader(24), [loader(16), loader(12, seed=1)])
    return outcome(model, fitting)


@pytest.fixture(scope="module")
def unwatched() -> list[Any]:
    return ranks.run(trained, WORLD, False)


def test_the_reference_logs_and_learns(unwatched: list[Any]) -> None:
    assert len(unwatched[0]["logged"]) > 5
    assert unwatched[0]["weights"] == unwatched[1]["weights"]


def test_with_a_hub(unwatched: list[Any]) -> None:
    with Ear() as ear:
        assert ranks.run(trained, WORLD, True, ear.address) == unwatched
        assert ear.goodbyes() == {0: "finished", 1: "finished"}


@pytest.mark.parametrize(
    "endpoint", ["127.0.0.1:9", "nobody.invalid:7787", "192.0.2.1:7787", "ipc:///nowhere/at/all"]
)
def test_without_a_hub_at_the_address(unwatched: list[Any], endpoint: str) -> None:
    assert ranks.run(trained, WORLD, True, endpoint) == unwatched


def test_with_an_address_in_the_environment_that_is_none(unwatched: list[Any]) -> None:
    found = ranks.run(trained, WORLD, True, env={"DDPWATCH": "this is no address"})
    assert found == unwatched


@pytest.mark.parametrize("place", PLACES)
def test_with_an_exception_forced_inside(unwatched: list[Any], place: str) -> None:
    with Ear() as ear:
        assert ranks.run(trained, WORLD, True, ear.address, place) == unwatched


@final
class Babbler:
    """Accepts whoever dials, and answers with bytes that mean nothing."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.heard = 0
        self._thread = threading.Thread(target=self._babble)

    def _babble(self) -> None:
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            with peer:
                self.heard += 1
                peer.sendall(b"\xff\x00HTTP/1.1 200 OK\r\n\r\n" * 100)

    def __enter__(self) -> Babbler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def babbler() -> Iterator[Babbler]:
    with Babbler() as babbler:
        yield babbler


def test_with_garbage_at_the_address(unwatched: list[Any], babbler: Babbler) -> None:
    assert ranks.run(trained, WORLD, True, f"127.0.0.1:{babbler.port}") == unwatched
    assert babbler.heard
