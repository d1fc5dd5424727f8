"""Is what `serve` records the same as what it reported, and sound however the process ends?"""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import Self

from ddpwatch.link.journal import Journal
from ddpwatch.link.publisher import Publisher
from ddpwatch.recording.library import open_recordings
from ddpwatch.wire.messages import Event, Progress
from ddpwatch.wire.stamped import Stamped
from ddpwatch.wire.token import load_token
from tests.ddp import ranks
from tests.e2e import toy
from tests.e2e.terminal import Terminal
from tests.e2e.test_attach import SHARDS, Running
from tests.e2e.test_cli import ddpwatch
from tests.unit.board.builders import FakeRank, counts, multiclass

ONCE = ("--headless", "--once", "--format", "json")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run of two real ranks: where it was recorded, and what `serve` printed of it."""
    folder = tmp_path_factory.mktemp("recorded")
    arguments = ("--bind", "127.0.0.1:0", "--record", str(folder))
    with Running("serve", *arguments, *ONCE) as serve:
        address = serve.said("listening on").split()[-1]
        plan = toy.Plan(shards=SHARDS, sync_dist=False, fit=True, trainer={"max_epochs": 3})
        started = ranks.start(toy.run, 2, plan, env={"DDPWATCH": address})
        assert all(each.exitcode == 0 for each in ranks.join(started))
        return folder, serve.output()


@pytest.mark.ddp
@pytest.mark.parametrize("command", ["report", "replay --headless"])
def test_the_report_of_a_recording_is_the_live_one(
    recorded: tuple[Path, str], command: str
) -> None:
    folder, live = recorded
    done = ddpwatch(*command.split(), str(folder), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert done.stdout == live
    assert any(found["code"] == "DW101" for found in json.loads(live)["findings"])


@pytest.mark.ddp
def test_it_is_listed_checked_and_shown_as_it_was_at_a_place(recorded: tuple[Path, str]) -> None:
    folder, _ = recorded
    head, line = ddpwatch("list", str(folder)).stdout.splitlines()
    assert head.split()[:3] == ["recording", "run", "began"]
    name = line.split()[0]
    assert " 2      3 " in line and "1 warning" in line
    by_name = ddpwatch("check", name, DDPWATCH_RECORDINGS=str(folder))
    assert by_name.returncode == 1 and "DW101" in by_name.stdout
    early = ddpwatch("replay", "latest", "--headless", "--at", "1", "--format", "json",
                     DDPWATCH_RECORDINGS=str(folder))  # fmt: skip
    ended = [(e["stage"], e["epoch"]) for e in json.loads(early.stdout)["epochs"] if e["final"]]
    assert ("validate", 0) in ended and ("validate", 1) not in ended
    nowhere = ddpwatch("replay", str(folder), "--headless", "--at", "77")
    assert nowhere.returncode == 2 and "it has 0 to 2" in nowhere.stderr


@pytest.mark.ddp
def test_the_dashboard_of_a_replay(recorded: tuple[Path, str]) -> None:
    with Terminal("replay", str(recorded[0]), "--speed", "100") as screen:
        screen.wait_for("replay at the end")
        screen.wait_for("GLOBAL")


class Talking:
    """A rank that takes a step every few milliseconds, and remembers when it took which."""

    def __init__(self, address: str) -> None:
        self.steps: list[float] = []
        self._stop = threading.Event()
        self._publisher = Publisher(
            f"tcp://{address.removeprefix('tcp://')}", "talk", 0, "claim", journal=Journal(),
            token=load_token,
        )  # fmt: skip
        self._thread = threading.Thread(target=self._talk)

    def __enter__(self) -> Self:
        made = FakeRank(0, 1, "talk", "claim")
        self._publisher.open()
        self._publisher.keep(made.hello().envelope.body)
        self._publisher.keep(made.declare(multiclass("f1")).envelope.body)
        self._publisher.keep(Event(kind="pass_begin", at=time.time(), stage="train"))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._publisher.close("closed", timeout=0.2)

    def _talk(self) -> None:
        made = FakeRank(0, 1, "talk", "claim")
        while not self._stop.wait(0.02):
            step = len(self.steps)
            self.steps.append(time.time())
            state = made.state(step, counts([0], [0]), stage="train").envelope.body
            self._publisher.latest("state", state)
            self._publisher.latest("progress", Progress(stage="train", pass_=0, epoch=0, step=step))


def newest_step(folder: Path) -> int:
    with open_recordings(folder) as recording:
        items = [i for batch in recording.items() for i in batch if isinstance(i, Stamped)]
        bodies = [item.envelope.body for item in items]
        return max(body.step for body in bodies if isinstance(body, Progress))


def killed(folder: Path, after: float) -> None:
    """Kill a recording `serve` at some moment, and see what is left."""
    with Running("serve", "--headless", "--bind", "127.0.0.1:0", "--record", str(folder)) as serve:
        address = serve.said("listening on").split()[-1]
        with Talking(address) as rank:
            serve.said("has begun")
            deadline = time.monotonic() + 30
            while not list(folder.rglob("*.mcap")) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(1.5 + after)
            at = time.time()
            serve.signal(signal.SIGKILL)
    told = ddpwatch("report", str(folder), "--format", "json")
    assert told.returncode == 0, told.stderr
    assert "cut short" in told.stderr and "Traceback" not in told.stderr
    assert json.loads(told.stdout)["run"]["id"] == "talk"
    # What was said within the last second may be gone, and nothing that was said before.
    sure = max(step for step, said in enumerate(rank.steps) if said < at - 1.0)
    assert newest_step(folder) >= sure


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_moment_it_loses_a_second_at_most(tmp_path: Path, seed: int) -> None:
    killed(tmp_path, random.Random(seed).uniform(0.0, 1.0))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 150))
def test_killed_at_fifty_moments(tmp_path: Path, seed: int) -> None:
    killed(tmp_path, random.Random(seed).uniform(0.0, 2.0))


@contextmanager
def gated(folder: Path, address: str) -> Iterator[Any]:
    gates = folder / "gates"
    gates.mkdir()
    for rank in range(2):
        os.mkfifo(gates / f"end{rank}")
    plan = toy.Plan(shards=SHARDS, sync_dist=False, calls=1, gates=str(gates))
    started = ranks.start(toy.run, 2, plan, env={"DDPWATCH": address})
    yield lambda: [(gates / f"end{rank}").write_bytes(b"go") for rank in range(2)]
    assert all(each.exitcode == 0 for each in ranks.join(started))


@pytest.mark.ddp
def test_a_hub_that_was_killed_and_started_again_has_one_recording(tmp_path: Path) -> None:
    folder, address = tmp_path / "recorded", f"127.0.0.1:{ranks.free_port()}"
    arguments = ("--bind", address, "--record", str(folder))
    with Running("serve", "--headless", *arguments) as first, gated(tmp_path, address) as go:
        first.said("validate epoch 0")
        first.signal(signal.SIGKILL)
        with Running("serve", *arguments, *ONCE) as second:
            second.said("validate epoch 0")
            go()
            live = second.output()
    assert len(list(folder.rglob("*.mcap"))) == 2
    assert len(ddpwatch("list", str(folder)).stdout.splitlines()) == 2
    merged = json.loads(ddpwatch("report", str(folder), "--format", "json").stdout)
    assert merged["epochs"] == json.loads(live)["epochs"]
    assert merged["run"] == json.loads(live)["run"]


@pytest.mark.ddp
def test_where_it_cannot_be_recorded_watching_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    arguments = ("--bind", "127.0.0.1:0", "--record", str(tmp_path / "file" / "below"))
    with Running("serve", *arguments, *ONCE) as serve:
        address = serve.said("listening on").split()[-1]
        started = ranks.start(toy.run, 2, toy.Plan(shards=SHARDS), env={"DDPWATCH": address})
        assert all(each.exitcode == 0 for each in ranks.join(started))
        assert json.loads(serve.output())["epochs"]
        assert sum("recording has lost messages" in line for line in serve.lines) == 1


def test_with_no_record_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "none"
    with Running("serve", "--headless", "--bind", "127.0.0.1:0", "--no-record",
                 environment={"DDPWATCH_RECORDINGS": str(folder)}) as serve:  # fmt: skip
        address = serve.said("listening on").split()[-1]
        with Talking(address):
            serve.said("has begun")
    assert not folder.exists()
    both = ddpwatch("serve", "--headless", "--record", str(folder), "--no-record")
    assert both.returncode == 2 and "got both" in both.stderr
