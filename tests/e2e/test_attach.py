"""Do viewers of a running hub report what it reports, early and late, and say what is wrong?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from types import TracebackType

import pytest
from typing_extensions import Self

from ddpwatch.wire.token import load_token
from tests.ddp import ranks
from tests.e2e import toy
from tests.e2e.terminal import Terminal
from tests.e2e.test_cli import ddpwatch

SHARDS = (
    (([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]), ([0, 1, 2, 2, 1, 1], [0, 0, 1, 2, 1, 2]))
)  # fmt: skip


class Running:
    """A ddpwatch process whose standard error is read as it comes."""

    def __init__(self, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self.lines: list[str] = []
        self._came = threading.Condition()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ddpwatch", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})},
        )  # fmt: skip
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            with self._came:
                self.lines.append(line.rstrip())
                self._came.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()
        self._thread.join()

    def said(self, words: str) -> str:
        """Wait for a line with these words and return it."""
        with self._came:
            assert self._came.wait_for(lambda: any(words in each for each in self.lines), 60), (
                self.lines
            )
            return next(each for each in self.lines if words in each)

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def output(self) -> str:
        """Wait for the end, and return what it printed."""
        assert self._process.stdout is not None
        printed = self._process.stdout.read()
        assert self._process.wait(60) == 0, self.lines
        return printed


@pytest.mark.ddp
def test_viewers_report_what_the_hub_reports() -> None:
    once = ("--headless", "--once", "--format", "json")
    with Running("serve", "--bind", "127.0.0.1:0", *once) as serve:
        address = serve.said("listening on").split()[-1]
        with Running("attach", address, *once) as early, Running("attach", address, *once) as ill:
            early.said("looking on through the hub")
            ill.said("looking on through the hub")
            ill.signal(signal.SIGSTOP)
            plan = toy.Plan(shards=SHARDS, sync_dist=False, fit=True, trainer={"max_epochs": 3})
            started = ranks.start(toy.run, 2, plan, env={"DDPWATCH": address})
            serve.said("has begun")
            with Running("attach", address, *once) as late:
                late.said("looking on through the hub")
                assert all(each.exitcode == 0 for each in ranks.join(started))
                ill.signal(signal.SIGCONT)
                reports = [each.output() for each in (serve, early, late, ill)]
    own = json.loads(reports[0])
    assert len(own["epochs"]) >= 3
    assert any(found["code"] == "DW101" for found in own["findings"])
    assert reports[1:] == reports[:1] * 3


def test_it_waits_for_a_hub_and_says_so() -> None:
    address = f"127.0.0.1:{ranks.free_port()}"
    with Running("attach", address, "--headless") as viewer:
        viewer.said(f"waiting for a hub at tcp://{address}")
        with Running("serve", "--bind", address, "--headless"):
            viewer.said(f"looking on through the hub at tcp://{address}")


def test_a_hub_with_another_token_is_an_error_with_exit_code_2(tmp_path: object) -> None:
    other = {"DDPWATCH_RUNTIME_DIR": str(tmp_path)}
    os.chmod(str(tmp_path), 0o700)  # noqa: PTH101
    load_token(other)
    with Running("serve", "--bind", "127.0.0.1:0", "--headless", environment=other) as serve:
        address = serve.said("listening on").split()[-1]
        done = ddpwatch("attach", address, "--headless")
    assert done.returncode == 2
    assert "with this user's token" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_dashboard_says_that_it_waits() -> None:
    address = f"127.0.0.1:{ranks.free_port()}"
    with Terminal("attach", address) as screen:
        assert address in screen.wait_for("Waiting for a hub at")
        with Running("serve", "--bind", address, "--headless"):
            screen.wait_for("Waiting for ranks at")
        screen.wait_for("Waiting for a hub at")
