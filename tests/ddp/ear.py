"""How does a test hear what ranks publish over the wire? A hub with a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import final

from ddpwatch.link.hub import Hub
from ddpwatch.wire.messages import Body, Bye, Envelope, Event, Hello, State
from ddpwatch.wire.stamped import Stamped
from ddpwatch.wire.token import load_token

LONG = 30.0


@final
class Ear:
    """A context manager; `address` is what ranks dial."""

    def __init__(self) -> None:
        self._hub = Hub("tcp://127.0.0.1:*", load_token())
        self._heard: list[Envelope] = []
        self._came = threading.Condition()
        self._thread = threading.Thread(target=self._listen)

    def __enter__(self) -> Ear:
        self._hub.open()
        self.address = self._hub.address
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._hub.stop()
        self._thread.join()
        self._hub.close()

    def _listen(self) -> None:
        for batch in self._hub.batches():
            with self._came:
                self._heard += [item.envelope for item in batch if isinstance(item, Stamped)]
                self._came.notify_all()

    def wait(self, until: Callable[[], object]) -> None:
        """Wait until something is true of what came."""
        with self._came:
            came = self._came.wait_for(until, LONG)
        assert came, f"only these came: {[type(each.body).__name__ for each in self.envelopes]}"

    @property
    def envelopes(self) -> list[Envelope]:
        return list(self._heard)

    @property
    def runs(self) -> set[str]:
        return {each.run for each in self.envelopes}

    def of_rank(self, rank: int) -> list[Body]:
        return [each.body for each in self.envelopes if each.rank == rank]

    def hellos(self) -> dict[int, Hello]:
        return {e.rank: e.body for e in self.envelopes if isinstance(e.body, Hello)}

    def goodbyes(self) -> dict[int, str]:
        return {e.rank: e.body.reason for e in self.envelopes if isinstance(e.body, Bye)}

    def finals(self, rank: int) -> set[tuple[str, int]]:
        states = [each for each in self.of_rank(rank) if isinstance(each, State)]
        return {(each.stage, each.pass_) for each in states if each.final}

    def events(self, rank: int) -> list[str]:
        return [each.kind for each in self.of_rank(rank) if isinstance(each, Event)]
