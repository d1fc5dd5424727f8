"""How does a rank stay one and the same to its hubs over several calls of one Trainer?"""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from ddpwatch.link.journal import Journal
from ddpwatch.link.publisher import Publisher
from ddpwatch.link.tap import FrameFile
from ddpwatch.wire.messages import Body, Event, Hello, Pulse
from ddpwatch.wire.token import load_token
from ddpwatch_lightning.failures import Failures
from ddpwatch_lightning.identity import new_claim
from ddpwatch_lightning.passes import Pass

LONGEST_TEXT = 16_384


class Line:
    """A claim and a journal that last, and the publisher of the Trainer's present call.

    Before `open` and after `close`, the publisher takes nothing.
    """

    def __init__(self, endpoint: str, run: str, rank: int, record: str | None = None) -> None:
        """With `record`, what is published goes into a file below that folder as well."""
        self.pid = os.getpid()
        self.started = time.time()
        self.failures = Failures(self._publish_failure)
        self._address = (endpoint, run, rank, new_claim())
        self._journal = Journal()
        self._record = record
        self._unheard = 0
        self.publisher = self._new_publisher()

    def open(self, hello: Hello) -> None:
        """Start the publisher's thread and greet."""
        self.publisher.open()
        self.publisher.keep(hello)

    def close(self, reason: str, text: str = "") -> None:
        """Say goodbye and stop: within a second, or at once where there is no hub."""
        self.publisher.close(reason, text[:LONGEST_TEXT], timeout=1.0)
        self._unheard += self.publisher.unheard
        self.publisher = self._new_publisher()

    def tell(self, kind: str, at: Pass | None = None, text: str = "") -> None:
        """Publish that something happened, in the pass `at` if there is one."""
        event = Event(
            kind=kind,
            at=time.time(),
            stage=at.stage if at else None,
            pass_=at.ordinal if at else 0,
            epoch=at.epoch if at else 0,
            text=text[:LONGEST_TEXT],
        )
        self.publisher.keep(event)

    def remark(self, body: Body) -> None:
        """Publish something of which there may be many, unless there are too many."""
        self.publisher.remark(body)

    def note_unheard(self, count: int) -> None:
        """Count printed lines that are not even tried to be sent."""
        self._unheard += count

    def _publish_failure(self, text: str) -> None:
        self.tell("capture_failed", text=text)

    def _new_publisher(self) -> Publisher:
        return Publisher(
            *self._address,
            journal=self._journal,
            token=load_token,
            pulse=self._amend,
            file=self._new_file(),
        )

    def _new_file(self) -> FrameFile | None:
        if self._record is None:
            return None
        from ddpwatch.recording.rank_file import (  # noqa: PLC0415 - needs mcap, and few record
            RankFile,
        )

        return RankFile(Path(self._record), self._address[2])

    def _amend(self, pulse: Pulse) -> Pulse:
        return msgspec.structs.replace(
            pulse,
            failures=pulse.failures + self.failures.count,
            output_dropped=self._unheard + self.publisher.unheard,
        )
