"""What does a rank do that nobody listens to, or somebody who does not answer? It trains on."""

from __future__ import annotations

import socket
import threading

import numpy as np
import pytest

from ddpwatch.link import seeker
from ddpwatch.link.journal import Journal
from ddpwatch.wire.arrays import from_numpy
from ddpwatch.wire.messages import MetricState, State
from tests.ddp.ranks import free_port
from tests.wire.ears import Ear, event, rank

# The close below would take the whole of it, if it waited for anybody.
NOT_IN_THIS_TEST = 150.0


def nowhere() -> str:
    return f"tcp://127.0.0.1:{free_port()}"


@pytest.mark.timeout(30)
def test_closing_waits_for_nobody_where_there_is_nobody() -> None:
    publisher = rank(nowhere())
    publisher.keep(event("kept"))
    publisher.close("finished", timeout=NOT_IN_THIS_TEST)
    assert not publisher._thread.is_alive()


@pytest.mark.timeout(30)
@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
def test_closing_waits_for_nobody_who_is_no_hub(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        publisher = rank(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        caller, _ = server.accept()
        caller.sendall(answer)
        caller.close()
        publisher.close("finished", timeout=NOT_IN_THIS_TEST)
        assert not publisher._thread.is_alive()


def test_a_listener_that_never_answers_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        publisher = rank(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        caller, _ = server.accept()
        publisher.close("finished", timeout=0.2)
        caller.close()
        publisher._thread.join(10)
        assert not publisher._thread.is_alive()


def test_what_piles_up_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(limit=100_000)
    publisher = rank(nowhere(), journal)
    for _ in range(20_000):
        publisher.latest("slot", event("latest", text="x" * 100))
        publisher.queue(event("queued", text="x" * 100))
        publisher.keep(event("kept", text="x" * 100))
    outbox = publisher._outbox
    assert len(outbox._latest) == 1
    assert len(outbox._queued) == 64
    publisher.close("finished")
    assert journal.nbytes <= 100_000
    assert outbox.is_empty()


def test_attempts_go_on_until_there_is_a_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts: list[str] = []
    enough = threading.Event()

    class Counted(seeker.Connection):
        def __init__(self, context, endpoint: str) -> None:
            attempts.append(endpoint)
            if len(attempts) == 20:
                enough.set()
            super().__init__(context, endpoint)

    monkeypatch.setattr(seeker, "Connection", Counted)
    address = nowhere()
    publisher = rank(address)
    publisher.keep(event("kept"))
    assert enough.wait(20)
    with Ear(address) as ear:
        ear.wait(lambda: "kept" in ear.said)
        publisher.close("finished")


def test_a_hub_that_does_not_keep_up_gets_the_newest_and_training_goes_on() -> None:
    count = 1000
    with Ear() as ear:
        publisher = rank(ear.address)
        publisher.keep(event("begun"))
        ear.wait(lambda: "begun" in ear.said)
        ear.gate.clear()
        for step in range(count):
            # Steps are as far apart as the thread's looks, so that it could send each of them.
            made = threading.Event()
            publisher.latest("state", lambda step=step, made=made: large_state(step, made))
            if not made.wait(1.0):
                break
        assert step < count - 1, "nothing ever had to wait"
        publisher.latest("state", lambda: large_state(count, made))
        publisher.keep(event("ended"))
        ear.gate.set()
        ear.wait(lambda: "ended" in ear.said and steps(ear)[-1] == count)
        publisher.close("finished")
        assert steps(ear) == sorted(steps(ear))


def large_state(step: int, made: threading.Event) -> State:
    made.set()
    counts = from_numpy(np.zeros(500_000, dtype=np.int8))
    metric = MetricState(metric=0, updates=1, fresh=1, states=(counts,))
    return State(stage="train", pass_=0, epoch=0, step=step, metrics=(metric,))


def steps(ear: Ear) -> list[int]:
    return [each.body.step for each in ear.envelopes if isinstance(each.body, State)]


@pytest.mark.timeout(30)
def test_a_fault_of_its_own_ends_the_thread_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("impossible")

    monkeypatch.setattr(seeker.Seeker, "turn", broken)
    publisher = rank(nowhere())
    publisher._thread.join()
    for number in range(100):
        publisher.keep(event(str(number)))
        publisher.queue(event(str(number)))
        publisher.latest(number, event(str(number)))
        publisher.here("hook")
    assert publisher._outbox.is_empty()
    publisher.close("finished", timeout=NOT_IN_THIS_TEST)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "impossible" in caplog.text
