"""Which messages of one run still matter? Decided as the board decides it, by the same parts."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ddpwatch.board.history import RankPass
from ddpwatch.board.logs import HeldLogged, LoggedPass
from ddpwatch.board.rank import RIVAL_MESSAGES, Rank
from ddpwatch.board.retained_words import RetainedWords
from ddpwatch.board.run import FRESH_PASSES, whole
from ddpwatch.board.snapshot import PassKey
from ddpwatch.wire.messages import (
    Bye,
    Declare,
    Event,
    Hello,
    Logged,
    LoggerCall,
    Message,
    Output,
    Progress,
    Pulse,
    State,
)
from ddpwatch.wire.stamped import Begun, Heard, Item, Stamped

Entry: TypeAlias = tuple[int, Item]
"""An item, and its place among all."""


class _Kept(NamedTuple):
    """A state with the message that it came in."""

    state: State
    entry: Entry


@dataclass(slots=True)
class RetainedRun:
    """One run. What is left out leaves marks: who spoke for a rank, and which passes began."""

    run: str
    first_at: float
    numbers: Iterator[int]
    ranks: dict[int, Rank] = field(default_factory=dict)
    marks: list[Entry] = field(default_factory=list)
    passes: dict[PassKey, dict[int, RankPass[_Kept]]] = field(default_factory=dict)
    with_loader: set[PassKey] = field(default_factory=set)
    newest: PassKey | None = None
    logs: dict[PassKey, LoggedPass] = field(default_factory=dict)
    slots: dict[Hashable, Entry] = field(default_factory=dict)
    rivals: dict[tuple[int, str], list[tuple[Entry, Entry]]] = field(default_factory=dict)
    words: RetainedWords = field(default_factory=RetainedWords)

    def take(self, stamped: Stamped) -> None:
        """Take in one message, from whoever speaks for its rank."""
        envelope = stamped.envelope
        rank = self.ranks.get(envelope.rank)
        if rank is None:
            rank = self.ranks[envelope.rank] = Rank(envelope.rank, claim=envelope.claim)
            self._mark(Heard(stamped.at, self.run, rank.rank, rank.claim))
        standing = rank.standing(envelope.claim, stamped.at, self.first_at)
        if standing == "rival":
            self._take_rival(rank, stamped)
        elif standing != "former":
            if standing == "successor":
                self._succeed(rank, stamped)
            rank.hear(stamped)
            self._keep(rank, stamped)

    def entries(self) -> Iterator[Entry]:
        """Yield marks and messages, in no order."""
        yield from self.marks
        yield from self.slots.values()
        for pairs in self.rivals.values():
            for pair in pairs:
                yield from pair
        for ranks in self.passes.values():
            for taken in ranks.values():
                yield from _states(taken)
        yield from self.words.entries()

    def conclusion(self) -> Iterator[Item]:
        """Yield what holds now, after all messages."""
        if self.newest is not None:
            yield Begun(self.first_at, self.run, self.newest, is_newest=True)
        for rank in self.ranks.values():
            yield self._heard(rank, final=True)

    def _mark(self, item: Item) -> None:
        self.marks.append((next(self.numbers), item))

    def _heard(self, rank: Rank, *, final: bool = False) -> Heard:
        return Heard(
            at=self.first_at if rank.last_at is None else rank.last_at,
            run=self.run,
            rank=rank.rank,
            claim=rank.claim,
            seq=rank.last_seq,
            missing=rank.missing,
            lag=rank.lag,
            least_delay=rank.least_delay,
            rival_at=rank.rival_at,
            has_left=rank.bye is not None,
            strides=tuple(self._strides(rank.rank)) if final else (),
        )

    def _strides(self, rank: int) -> Iterator[tuple[PassKey, int]]:
        for key, ranks in self.passes.items():
            taken = ranks.get(rank)
            if taken is not None and taken.stride > 1 and taken.past:
                yield key, taken.stride

    def _take_rival(self, rank: Rank, stamped: Stamped) -> None:
        rank.rival_at = stamped.at
        if stamped.envelope.journal:
            kept = self.rivals.setdefault((rank.rank, stamped.envelope.claim), [])
            if len(kept) < RIVAL_MESSAGES:
                # Without it, what the speaker said in between would be missing, and he look gone.
                living = (next(self.numbers), self._heard(rank))
                kept.append((living, (next(self.numbers), stamped)))

    def _succeed(self, rank: Rank, stamped: Stamped) -> None:
        """Let the claimant of a message speak from now on; he has said some of it before."""
        claim = stamped.envelope.claim
        self._mark(self._heard(rank))
        self._mark(Heard(stamped.at, self.run, rank.rank, claim))
        for slot in [(rank.rank, Progress, stage) for stage in rank.progress]:
            self.slots.pop(slot, None)
        self.slots.pop((rank.rank, Pulse), None)
        rank.succeed(claim)
        for _, (_, earlier) in self.rivals.pop((rank.rank, claim), []):
            if isinstance(earlier, Stamped):
                self._keep(rank, earlier)

    def _keep(self, rank: Rank, stamped: Stamped) -> None:
        body = stamped.envelope.body
        entry = (next(self.numbers), stamped)
        if isinstance(body, State):
            self._keep_state(rank, body, stamped, entry)
        elif isinstance(body, Logged):
            self._keep_logged(rank, body, stamped, entry)
        elif isinstance(body, LoggerCall | Output):
            self.words.take(rank, body, entry[0], stamped)
        else:
            rank.take(stamped.envelope, stamped.at)
            slot = (rank.rank, *_slot(body, rank.claim))
            if isinstance(body, Event | Bye):
                # The first tells when it began, or why it failed; the last, of a journal that is
                # said twice, what has ended by then.
                self.slots.setdefault((*slot, "first"), entry)
            self.slots[slot] = entry

    def _keep_state(self, rank: Rank, state: State, stamped: Stamped, entry: Entry) -> None:
        key = PassKey(rank.generation, state.stage, state.pass_, state.epoch, state.dataloader)
        ranks = self._pass(key, stamped.at)
        taken = ranks.get(rank.rank)
        if taken is None:
            taken = ranks[rank.rank] = RankPass()
        taken.add(_Kept(state, entry), stamped.envelope.journal)
        if any(metric.fresh for metric in state.metrics):
            self.newest = key

    def _keep_logged(self, rank: Rank, logged: Logged, stamped: Stamped, entry: Entry) -> None:
        place = PassKey(rank.generation, logged.stage, logged.pass_, logged.epoch, -1)
        if place not in self.with_loader:
            self._pass(place._replace(dataloader=0), stamped.at)
        envelope = stamped.envelope
        held = HeldLogged(logged, envelope.claim, envelope.journal)
        if self.logs.setdefault(place, LoggedPass()).add(rank.rank, held):
            self.slots[rank.rank, Logged, place] = entry

    def _pass(self, key: PassKey, at: float) -> dict[int, RankPass[_Kept]]:
        known = self.passes.get(key)
        if known is None:
            known = self.passes[key] = {}
            self.with_loader.add(whole(key))
            self._mark(Begun(at, self.run, key))
            self._forget_older(key)
        return known

    def _forget_older(self, key: PassKey) -> None:
        same = [k for k in self.passes if (k.stage, k.dataloader) == (key.stage, key.dataloader)]
        for old in same[:-FRESH_PASSES]:
            for taken in self.passes[old].values():
                taken.forget_past()


def _states(taken: RankPass[_Kept]) -> Iterator[Entry]:
    yield from (held.entry for held in taken.recent.values())
    yield from (held.entry for step, held in taken.past.items() if step not in taken.recent)
    if taken.final is not None:
        yield taken.final.entry


def _slot(body: Message, claim: str) -> tuple[Hashable, ...]:
    """What only the newest message of counts."""
    if isinstance(body, Progress):
        return Progress, body.stage
    if isinstance(body, Event):
        return Event, claim, body.kind, body.stage, body.pass_, body.epoch
    if isinstance(body, Declare):
        return Declare, claim, body.version
    if isinstance(body, Hello):
        return Hello, claim
    if isinstance(body, Bye):
        return Bye, claim, body.reason == "exception"
    return (type(body),)
