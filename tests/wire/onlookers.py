"""How does a test run a hub that viewers look on through, and viewers with boards of their own?"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import final

from ddpwatch.board.board import Board
from ddpwatch.board.retained import Retained
from ddpwatch.feed import Intake, Stoppable
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.findings.telling import Telling
from ddpwatch.link.hub import Hub
from ddpwatch.link.introduction import Introduction, Verdict
from ddpwatch.link.viewer import Viewer
from ddpwatch.wire import greeting
from ddpwatch.wire.messages import Pulse
from ddpwatch.wire.stamped import Item, Lost, Rejected, Restart, Stamped
from tests.wire.ears import ANY_PORT, LONG, TOKEN, Dialler


class _Folding:
    """A source that a thread folds into a board; what came can be waited for."""

    def __init__(self, source: Stoppable, intake: Intake) -> None:
        self.board = intake.board
        self.items: list[Item] = []
        self.error: Exception | None = None
        self._source = source
        self._intake = intake
        self._came = threading.Condition()
        self._thread = threading.Thread(target=self._fold)

    def _fold(self) -> None:
        try:
            for batch in self._source.batches():
                with self._came:
                    self._intake.take(batch)
                    self.items += batch
                    self._came.notify_all()
        except Exception as error:  # noqa: BLE001 - a test looks at it
            with self._came:
                self.error = error
                self._came.notify_all()

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._source.stop()
        self._thread.join()

    def wait(self, until: Callable[[], object]) -> None:
        """Wait until something is true of what came, in a moment in which nothing is folded."""
        with self._came:
            came = self._came.wait_for(lambda: self.error or until(), LONG)
            assert came, f"only {len(self.items)} items came"
            assert self.error is None

    @property
    def said(self) -> int:
        """How many messages came that are no pulses."""
        return sum(
            isinstance(item, Stamped) and not isinstance(item.envelope.body, Pulse)
            for item in self.items
        )

    def of(self, kind: type[Item]) -> list[Item]:
        return [item for item in self.items if isinstance(item, kind)]

    @property
    def rejected(self) -> list[str]:
        return [item.kind for item in self.items if isinstance(item, Rejected)]


@final
class Station(_Folding):
    """A hub as `ddpwatch serve` runs it."""

    def __init__(self, address: str = ANY_PORT, token: bytes = TOKEN) -> None:
        self.hub = Hub(address, token, memory=Retained())
        diagnosis = Diagnosis()
        intake = Intake(Board("", diagnosis), Telling(diagnosis), [self.hub])
        super().__init__(self.hub, intake)

    def __enter__(self) -> Station:
        self.hub.open()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.join()
        self.hub.close()

    @property
    def address(self) -> str:
        return self.hub.address


@final
class Onlooker(_Folding):
    """A viewer as `ddpwatch attach` runs it."""

    def __init__(self, address: str, token: bytes = TOKEN) -> None:
        self.viewer = Viewer(address, token)
        super().__init__(self.viewer, Intake(Board("", Diagnosis(looks=False))))

    def __enter__(self) -> Onlooker:
        self.viewer.open()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.join()
        self.viewer.close()

    def attached(self, times: int = 1) -> None:
        """Wait until it has got so many snapshots."""
        self.wait(lambda: len(self.of(Restart)) >= times)

    def lost(self, times: int = 1) -> None:
        self.wait(lambda: len(self.of(Lost)) >= times)


def prove_viewer(dialler: Dialler, token: bytes = TOKEN) -> None:
    """Prove to be a viewer."""
    introduction = Introduction(token, "viewer")
    dialler.send(greeting.encode(introduction.greet))
    assert introduction.judge(dialler.receive()) is Verdict.HUB
    assert introduction.reply is not None
    dialler.send(greeting.encode(introduction.reply))
