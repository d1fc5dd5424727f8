"""What becomes of a publisher whose process forks, ends or is killed, or whose hub hangs?"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddpwatch.link import connection, seeker
from ddpwatch.wire.stamped import Tick
from tests.ddp.ranks import free_port
from tests.wire.ears import TOKEN, Ear, event, rank

ROOT = Path(__file__).parents[2]
EXIT = 1.5
"""Seconds from the last line of a script to the end of its process."""

OPENED = """
    import os, sys
    from ddpwatch.link.journal import Journal
    from ddpwatch.link.publisher import Publisher
    from ddpwatch.wire.messages import Event

    def event(kind):
        return Event(kind=kind, at=0.0)

    def wait_for(line):
        print(line, flush=True)
        sys.stdin.readline()

    publisher = Publisher(
        sys.argv[1], "run", 0, "claim", journal=Journal(), token=lambda: bytes.fromhex(sys.argv[2])
    )
    publisher.open()
    publisher.keep(event("begun"))
"""


@contextlib.contextmanager
def script(address: str, body: str) -> Iterator[subprocess.Popen[str]]:
    """A process that opens a publisher and then runs `body`; `wait_for` there meets `met` here."""
    source = textwrap.dedent(OPENED) + textwrap.dedent(body)
    with subprocess.Popen(
        [sys.executable, "-c", source, address, TOKEN.hex()],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def met(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == f"{line}\n"


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_an_interpreter_that_ends_says_goodbye_first() -> None:
    with Ear() as ear, script(ear.address, "wait_for('open')") as process:
        met(process, "open")
        ear.wait(lambda: "begun" in ear.said)
        go_on(process)
        assert process.wait(EXIT) == 0
        ear.wait(lambda: "Bye" in ear.said)
        assert ear.envelopes[-1].body.reason == "closed"


def test_an_interpreter_that_ends_without_a_hub_does_not_wait() -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    with script(address, "wait_for('open')") as process:
        met(process, "open")
        go_on(process)
        assert process.wait(EXIT) == 0


def test_an_interpreter_that_ends_with_an_exception_says_goodbye_too() -> None:
    body = "wait_for('open'); sys.stderr.close(); raise ValueError"
    with Ear() as ear, script(ear.address, body) as process:
        met(process, "open")
        ear.wait(lambda: "begun" in ear.said)
        go_on(process)
        assert process.wait(EXIT) == 1
        ear.wait(lambda: "Bye" in ear.said)


def test_a_hub_that_hangs_costs_a_second_at_most() -> None:
    with Ear() as ear, script(ear.address, "wait_for('open')") as process:
        met(process, "open")
        ear.wait(lambda: "begun" in ear.said)
        ear.gate.clear()
        go_on(process)
        assert process.wait(2 * EXIT) == 0
        ear.gate.set()


FORKS = """
    import threading
    wait_for('open')
    child = os.fork()
    if child == 0:
        for each in range(1000):
            publisher.keep(event('child'))
            publisher.queue(event('child'))
            publisher.latest('slot', event('child'))
            publisher.here('child')
        publisher.open()
        publisher.close('child')
        assert publisher._outbox.is_empty()
        assert len(threading.enumerate()) == 1
        sys.exit(7)
    _, status = os.waitpid(child, 0)
    publisher.keep(event(f'child ended with {os.waitstatus_to_exitcode(status)}'))
    publisher.close('finished')
"""


def test_a_forked_child_does_nothing_and_ends_as_usual() -> None:
    with Ear() as ear, script(ear.address, FORKS) as process:
        met(process, "open")
        ear.wait(lambda: "begun" in ear.said)
        go_on(process)
        ear.wait(lambda: "Bye" in ear.said)
        assert ear.said == ["begun", "child ended with 7", "Bye"]
        assert process.wait(EXIT) == 0
        assert ear.rejected == []


WORKERS = """
    import multiprocessing as mp
    context = mp.get_context('fork')
    def work(queue):
        queue.put(os.getpid())
    wait_for('open')
    for epoch in range(3):
        queue = context.Queue()
        workers = [context.Process(target=work, args=(queue,)) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            queue.get()
            worker.join()
            assert worker.exitcode == 0
        publisher.keep(event(f'epoch {epoch}'))
    publisher.close('finished')
"""


def test_workers_that_are_forked_every_epoch_disturb_nothing() -> None:
    with Ear() as ear, script(ear.address, WORKERS) as process:
        met(process, "open")
        ear.wait(lambda: "begun" in ear.said)
        go_on(process)
        ear.wait(lambda: "Bye" in ear.said)
        assert ear.said == ["begun", "epoch 0", "epoch 1", "epoch 2", "Bye"]
        assert process.wait(EXIT) == 0


def test_a_child_that_outlives_its_parent_does_not_keep_the_rank_alive() -> None:
    body = """
        wait_for('open')
        if os.fork() == 0:
            sys.stdin.readline()
            os._exit(0)
        os._exit(0)
    """
    with Ear() as ear, script(ear.address, body) as process:
        met(process, "open")
        ear.wait(lambda: "begun" in ear.said)
        go_on(process)
        process.wait(10)
        before = len(ear.pulses)
        with Ear() as other:
            other.wait(lambda: sum(isinstance(item, Tick) for item in other.items) > 1)
        assert len(ear.pulses) <= before + 1
        go_on(process)


def test_a_rank_that_is_killed_leaves_the_hub_as_it_was() -> None:
    with Ear() as ear:
        with script(ear.address, "wait_for('open')") as process:
            met(process, "open")
            ear.wait(lambda: "begun" in ear.said)
            os.kill(process.pid, signal.SIGKILL)
            assert process.wait(10) == -signal.SIGKILL
        with script(ear.address, "wait_for('open')") as process:
            met(process, "open")
            ear.wait(lambda: ear.said.count("begun") == 2)
        assert ear.rejected == []


HUB = """
    import sys
    from ddpwatch.link.hub import Hub
    from ddpwatch.wire.messages import Event
    from ddpwatch.wire.stamped import Stamped

    with Hub(sys.argv[1], bytes.fromhex(sys.argv[2])) as hub:
        print(hub.address, flush=True)
        for batch in hub.batches():
            for item in batch:
                if isinstance(item, Stamped) and isinstance(item.envelope.body, Event):
                    print(item.envelope.body.kind, flush=True)
"""


def test_a_hub_that_is_stopped_is_left_and_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEARTBEAT_SECONDS", 1)
    monkeypatch.setattr(connection, "SILENCE_SECONDS", 1)
    left, lose = threading.Event(), seeker.Seeker.lose

    def noted(self: seeker.Seeker) -> None:
        if self.is_live:
            left.set()
        lose(self)

    monkeypatch.setattr(seeker.Seeker, "lose", noted)
    command = [sys.executable, "-c", textwrap.dedent(HUB), "tcp://127.0.0.1:*", TOKEN.hex()]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as hub:
        assert hub.stdout is not None
        publisher = rank(hub.stdout.readline().strip())
        publisher.keep(event("before"))
        met(hub, "before")
        hub.send_signal(signal.SIGSTOP)
        assert left.wait(30)
        publisher.keep(event("meanwhile"))
        hub.send_signal(signal.SIGCONT)
        met(hub, "meanwhile")
        publisher.close("finished")
        hub.kill()
