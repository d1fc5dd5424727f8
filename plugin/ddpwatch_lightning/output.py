"""What does this rank print, in which hook? Seen at the streams themselves, which stay as they are.

The `write` of `sys.stdout` and `sys.stderr` is replaced on the instance. The streams' class, file
and attributes are untouched, and whoever kept a reference to them is heard as well. No handler is
added to `logging`, because `basicConfig` would then do nothing and unhandled warnings would no
longer be printed; instead, a line that one of its stream handlers writes is marked as logged.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Literal, TypeAlias

from ddpwatch.wire.messages import Output
from ddpwatch_lightning.circumstances import Circumstances
from ddpwatch_lightning.lines import Lines

StreamName: TypeAlias = Literal["stdout", "stderr", "logging"]
OnLine: TypeAlias = Callable[[StreamName, str], None]

_EMIT = logging.StreamHandler.emit.__code__
_OWN = "ddpwatch"


class Printed:
    """Listens to both streams from `start` until `stop`; forked children are not listened to."""

    def __init__(
        self,
        publish: Callable[[Output], None],
        on_lost: Callable[[int], None],
        circumstances: Circumstances,
    ) -> None:
        self._publish = publish
        self._on_lost = on_lost
        self._whereabouts = circumstances
        self._taps: list[StreamTap] = []

    def start(self) -> None:
        """Listen to the streams that there are now."""
        for name, stream in (("stdout", sys.stdout), ("stderr", sys.stderr)):
            if stream is not None and all(tap.stream is not stream for tap in self._taps):
                self._taps.append(StreamTap(stream, name, self._tell, self._on_lost))  # type: ignore[arg-type]

    def stop(self) -> None:
        """Give the streams back; where somebody else has wrapped them since, only fall silent."""
        for tap in self._taps:
            tap.remove()
        self._taps.clear()

    def _tell(self, stream: StreamName, text: str) -> None:
        where = self._whereabouts.now()
        self._publish(
            Output(
                stream=stream,
                text=text,
                at=time.time(),
                stage=where.stage,
                pass_=where.pass_,
                epoch=where.epoch,
                hook=where.hook,
            )
        )


class StreamTap:
    """A `write` that passes everything on and tells whole lines, in place until removed.

    Every thread's pieces are put together on their own, so no lock is needed, and what is printed
    while a line is being told is passed on only.
    """

    def __init__(
        self, stream: Any, name: StreamName, on_line: OnLine, on_lost: Callable[[int], None]
    ) -> None:
        self.stream = stream
        self._name = name
        self._on_line = on_line
        self._on_lost = on_lost
        self._pid = os.getpid()
        self._is_on = True
        self._local = threading.local()
        own = getattr(stream, "__dict__", None)
        self._had_own = own is not None and "write" in own
        self._original = stream.write
        self._wrapper = self._make(stream.write)
        try:
            stream.write = self._wrapper
        except AttributeError:
            # The stream is of a class that lets nothing be replaced; it is not listened to.
            self._is_on = False

    def remove(self) -> None:
        """Fall silent, and put the original back if nothing else has taken its place."""
        self._is_on = False
        if getattr(self.stream, "__dict__", {}).get("write") is not self._wrapper:
            return
        if self._had_own:
            self.stream.write = self._original
        else:
            del self.stream.write

    def _make(self, original: Callable[[str], int]) -> Callable[[str], int]:
        def write(text: str, /) -> int:
            written = original(text)
            if self._is_on:
                self._hear(text, sys._getframe(1))  # noqa: SLF001 - who writes tells what it is
            return written

        return write

    def _hear(self, text: str, writer: FrameType) -> None:
        local = self._local
        if getattr(local, "is_busy", False) or os.getpid() != self._pid:
            return
        local.is_busy = True
        try:
            stream = self._stream(writer)
            if stream is not None:
                for line in self._lines(stream).feed(text):
                    self._on_line(stream, line)
        except Exception:  # noqa: BLE001, S110 - inside somebody's print; a message about it would loop
            pass
        finally:
            local.is_busy = False

    def _lines(self, stream: StreamName) -> Lines:
        """Return what puts this thread's pieces together."""
        known: dict[str, Lines] = self._local.__dict__.setdefault("lines", {})
        lines = known.get(stream)
        if lines is None:
            lines = known[stream] = Lines(self._on_lost)
        return lines

    def _stream(self, writer: FrameType) -> StreamName | None:
        """Return through what the text came, or None where ddpwatch's own log wrote it."""
        if writer.f_code is not _EMIT:
            return self._name
        record = writer.f_locals.get("record")
        is_own = getattr(record, "name", "").partition(".")[0] == _OWN
        return None if is_own else "logging"
