"""What does `ddpwatch demo` do? Train on real data in other processes, and watch that."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from ddpwatch import serving
from ddpwatch.errors import DDPWatchError, UsageError
from ddpwatch.link.hub import Hub

NEEDED = ("torch", "torchmetrics", "pytorch_lightning", "sklearn")
SCRIPTS = {"digits": "train.py", "multilabel": "multilabel.py"}
DEFAULTS = {"digits": (4, 20), "multilabel": (2, 10)}
"""How many ranks, and how many epochs, show best what each script is for."""

PATIENCE = 5.0
"""Seconds that the training may take to end after it was asked to."""

STARTING = (
    "The demo's training is starting on {ranks} processes. "
    "Its ranks appear here in a few seconds, when each has imported PyTorch."
)

LAST_WORDS = 0.5
"""Seconds in which messages of a process that has just ended may still come in."""


def run(
    ranks: int | None,
    epochs: int | None,
    *,
    headless: bool,
    form: str,
    name: str = "digits",
) -> None:
    """Train on `ranks` processes and show it; end the training when the user leaves.

    `name` is one of `SCRIPTS`; without `ranks` or `epochs` it trains as `DEFAULTS` says.

    Raises:
        UsageError: a package is not installed.
        DDPWatchError: the training failed; the text has its last lines.
    """
    require_packages()
    ranks, epochs = ranks or DEFAULTS[name][0], epochs or DEFAULTS[name][1]
    with serving.make_hub("127.0.0.1:0") as hub, tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "train.log"
        arguments = ["--ranks", str(ranks), "--epochs", str(epochs)]
        with training(arguments, hub.address, log, name) as process:
            if headless:
                serving.say(f"training on {ranks} ranks; this takes less than a minute")
                with ends_with(process, hub):
                    serving.narrate(hub, hub.address, once=True, form=form, sinks=[hub])
            else:
                waiting = STARTING.format(ranks=ranks)
                serving.show(hub, hub.address, waiting=waiting, sinks=[hub])
            code = process.poll()
        if code:
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
            raise DDPWatchError(
                f"the training ended with exit code {code}; its last lines:\n{tail}"
            )


def require_packages() -> None:
    """Raise `UsageError` that names what is not installed."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"expected {', '.join(NEEDED)} for the demo, got no {', '.join(missing)}: "
            "pip install 'ddpwatch[demo]'"
        )


def script(name: str) -> Path:
    """The training script: packed beside this file, or in the source tree."""
    packed = Path(__file__).parent / "_demo" / SCRIPTS[name]
    return packed if packed.exists() else Path(__file__).parent.parent / "demo" / SCRIPTS[name]


@contextlib.contextmanager
def training(
    arguments: list[str], address: str, log: Path, name: str = "digits"
) -> Iterator[subprocess.Popen[bytes]]:
    """Start the script, its output in `log`; at the end, no process of it is left."""
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own script, no shell
            [sys.executable, str(script(name)), *arguments],
            env={**os.environ, "DDPWATCH": address},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End the process and all ranks that it started, politely first."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)


@contextlib.contextmanager
def ends_with(process: subprocess.Popen[bytes], hub: Hub) -> Iterator[None]:
    """Stop the hub soon after the process has ended, however it ended."""
    left = threading.Event()

    def wait() -> None:
        process.wait()
        left.wait(LAST_WORDS)
        hub.stop()

    thread = threading.Thread(target=wait, name="ddpwatch-demo", daemon=True)
    thread.start()
    try:
        yield
    finally:
        left.set()
