"""What did a rank's callback publish? Kept inside the rank, in place of its publisher."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ClassVar, TypeVar

from ddpwatch.wire.codec import pack
from ddpwatch.wire.messages import Body, Declare, Event, Message, State

Content = Body | Callable[[], Body]
Kind = TypeVar("Kind", bound=Message)


class Recorder:
    """Takes the publisher's place. Contents are made at the end, as late as a thread might."""

    made: ClassVar[list[Recorder]] = []

    def __init__(self, endpoint: str, run: str, rank: int, claim: str, **options: Any) -> None:
        self.endpoint, self.run, self.rank, self.claim = endpoint, run, rank, claim
        self.options = options
        self.is_open = False
        self.contents: list[Content] = []
        self.goodbyes: list[tuple[str, str]] = []
        self.hooks: list[str] = []
        self.places: list[tuple[str, str]] = []
        self.where = ("", "", 0.0)
        Recorder.made.append(self)

    @classmethod
    def install(cls) -> None:
        """Let every callback of this process publish to a recorder from now on."""
        from ddpwatch_lightning import line

        line.Publisher = cls  # type: ignore[misc, assignment]

    def open(self) -> None:
        self.is_open = True

    def keep(self, content: Content) -> None:
        self._take(content)

    def queue(self, content: Content) -> None:
        self._take(content)

    unheard = 0

    def remark(self, content: Content) -> None:
        self._take(content)

    def latest(self, slot: Hashable, content: Content) -> None:
        # Taken at once, as by a publisher that always has time; later it would be a newer one.
        self._take(content if isinstance(content, Message) else content())

    def later(self, chore: Callable[[], object]) -> bool:
        chore()
        return True

    def here(self, hook: str, key: str = "") -> tuple[str, str, float]:
        before = self.where
        self.back((hook, key, 0.0))
        return before

    def back(self, where: tuple[str, str, float]) -> None:
        self.where = where
        self.hooks.append(where[0])
        self.places.append(where[:2])

    def close(self, reason: str, text: str = "", timeout: float = 1.0) -> None:
        if self.is_open:
            self.goodbyes.append((reason, text))
        self.is_open = False

    def _take(self, content: Content) -> None:
        if self.is_open:
            self.contents.append(content)


def opened() -> list[Recorder]:
    """Return the recorders of this process that were ever used, in order."""
    return [each for each in Recorder.made if each.contents]


def bodies(*recorders: Recorder) -> list[Body]:
    """Return what these or all recorders were given, in order; all of it fits the wire."""
    made = [
        content if isinstance(content, Message) else content()
        for each in recorders or opened()
        for content in each.contents
    ]
    for body in made:
        pack(body)
    return made


def of(kind: type[Kind], messages: list[Body]) -> list[Kind]:
    """Return the messages of one kind."""
    return [each for each in messages if isinstance(each, kind)]


def events(messages: list[Body]) -> list[tuple[str, str | None, int]]:
    """Return what happened: kind, stage and pass."""
    return [(each.kind, each.stage, each.pass_) for each in of(Event, messages)]


def finals(messages: list[Body]) -> dict[tuple[str, int, int], State]:
    """Return the final state by stage, pass and dataloader: the last one published counts."""
    states = [each for each in of(State, messages) if each.final]
    return {(each.stage, each.pass_, each.dataloader): each for each in states}


def by_path(state: State, messages: list[Body]) -> dict[str, Any]:
    """Return every metric of a state message as (updates, fresh, arrays), by its path."""
    from ddpwatch.wire.arrays import to_numpy
    from ddpwatch.wire.messages import Array

    declared = {each.version: each for each in of(Declare, messages)}[state.declare].metrics
    states = {each.metric: each for each in state.metrics}
    found = {}
    for index, each in states.items():
        holder = states[each.leader] if each.leader >= 0 else each
        arrays = [to_numpy(a).tolist() if isinstance(a, Array) else a for a in holder.states]
        found[declared[index].path] = (each.updates, each.fresh, arrays)
    return found
