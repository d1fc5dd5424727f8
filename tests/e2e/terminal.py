"""How does a test sit at a real terminal? A pseudo-terminal, and an emulator that reads it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType

import pexpect
import pyte
from typing_extensions import Self

DDPWATCH = [sys.executable, "-m", "ddpwatch"]


class Terminal:
    """ddpwatch on a terminal of `columns` x `rows`; the context manager leaves nothing behind."""

    def __init__(
        self,
        *arguments: str,
        columns: int = 120,
        rows: int = 36,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "DDPWATCH")}
        env.update({"TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})})
        self._child = pexpect.spawn(
            DDPWATCH[0], [*DDPWATCH[1:], *arguments], dimensions=(rows, columns), env=env
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._child.close(force=True)

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def press(self, keys: str) -> None:
        """Type."""
        self._child.send(keys)

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        self.screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def wait_for(self, wanted: str | Callable[[str], bool], timeout: float = 30.0) -> str:
        """Read until the screen has `wanted`; return the screen, or fail showing it."""
        has = wanted if callable(wanted) else lambda text: wanted in text
        deadline = time.monotonic() + timeout
        while not has(self.text):
            if time.monotonic() > deadline or not self._read():
                raise AssertionError(f"waited for {wanted!r}, the screen has:\n{self.text}")
        return self.text

    def wait_for_exit(self, timeout: float = 15.0) -> int:
        """Read to the end; return the exit code."""
        deadline = time.monotonic() + timeout
        while self._read():
            if time.monotonic() > deadline:
                raise AssertionError(f"still running; the screen has:\n{self.text}")
        self._child.wait()
        return int(self._child.exitstatus if self._child.exitstatus is not None else -1)

    def _read(self) -> bool:
        try:
            self._stream.feed(self._child.read_nonblocking(65536, timeout=0.2))
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        return True
