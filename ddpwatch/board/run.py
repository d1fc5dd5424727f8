"""What is known of one run: its ranks, its passes, and which process may speak for which rank?"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from ddpwatch.board.history import Held
from ddpwatch.board.logged_table import Surroundings, build_logged_table
from ddpwatch.board.logger_calls import LoggerCalls
from ddpwatch.board.logs import HeldLogged, LoggedPass
from ddpwatch.board.output import OutputLog
from ddpwatch.board.passes import Pass
from ddpwatch.board.rank import RIVAL_MESSAGES, Rank
from ddpwatch.board.renames import beside_before
from ddpwatch.board.series import SeriesCache, World
from ddpwatch.board.snapshot import LoggedTable, PassKey, Table
from ddpwatch.board.table import build_table
from ddpwatch.wire.messages import Declare, Event, Hello, Logged, LoggerCall, Output, State
from ddpwatch.wire.stamped import Begun, Heard, Stamped

FRESH_PASSES = 2
"""Passes of each stage whose single steps are kept; of older ones only the final states are."""

AFTERLIFE = 3.0
"""Seconds after the last goodbye in which a next stage of the same script may still begin."""


@dataclass(slots=True)
class Run:
    """One run, folded from the messages of its ranks."""

    run: str
    first_at: float
    name: str = ""
    world_size: int = 1
    ranks: dict[int, Rank] = field(default_factory=dict)
    passes: dict[PassKey, Pass] = field(default_factory=dict)
    begun: dict[PassKey, int] = field(default_factory=dict)
    ordered: tuple[tuple[int, int], tuple[PassKey, ...]] = ((0, 0), ())
    closed: defaultdict[PassKey, set[int]] = field(default_factory=lambda: defaultdict(set))
    newest: PassKey | None = None
    train_began: float | None = None
    first_epoch: int = 0
    events: list[tuple[int, Event]] = field(default_factory=list)
    series: SeriesCache = field(default_factory=SeriesCache)
    tables: dict[PassKey, tuple[object, Table]] = field(default_factory=dict)
    logs: dict[PassKey, LoggedPass] = field(default_factory=dict)
    judged_beside: dict[PassKey, tuple[Table, ...]] = field(default_factory=dict)
    logged_tables: dict[PassKey, tuple[object, LoggedTable]] = field(default_factory=dict)
    loaders: defaultdict[PassKey, list[PassKey]] = field(default_factory=lambda: defaultdict(list))
    joined_table: tuple[tuple[object, ...], Table | None] = ((), None)
    joined_logged: tuple[tuple[object, ...], LoggedTable | None] = ((), None)
    output: OutputLog = field(default_factory=OutputLog)
    logger_calls: LoggerCalls = field(default_factory=LoggerCalls)
    changes: int = 0
    changed: dict[PassKey, int] = field(default_factory=dict)

    def fold(self, stamped: Stamped) -> None:
        """Take in one message, from whoever speaks for its rank."""
        envelope = stamped.envelope
        rank = self._rank(envelope.rank, envelope.claim)
        if self._is_believed(rank, envelope.claim, stamped.at):
            rank.hear(stamped)
            self._take(rank, stamped)
        elif envelope.claim not in rank.former:
            rank.rival_at = stamped.at
            kept = rank.rivals.setdefault(envelope.claim, [])
            if envelope.journal and len(kept) < RIVAL_MESSAGES:
                kept.append(stamped)

    def hear(self, heard: Heard) -> None:
        """Take in what is left of messages of one rank that are not told."""
        rank = self._rank(heard.rank, heard.claim)
        if not self._is_believed(rank, heard.claim, heard.at):
            return
        rank.recall(heard)
        for place, stride in heard.strides:
            taken = self.passes.get(PassKey(*place))
            if taken is not None and rank.rank in taken.ranks:
                taken.ranks[rank.rank].thin_out(stride)
                taken.version += 1

    def begin(self, begun: Begun) -> None:
        """Take in that there is a pass, where the message that said so is not told."""
        key = PassKey(*begun.place)
        self._pass(key)
        if begun.is_newest:
            self.newest = key

    def world(self) -> World:
        """What it takes to read the states of this run."""
        versions = next((r.hello.versions for r in self.ranks.values() if r.hello), {})
        declares: dict[tuple[int, str, int], Declare] = {
            (rank.rank, claim, version): declare
            for rank in self.ranks.values()
            for (claim, version), declare in rank.declares.items()
        }
        return World(self.world_size, declares, versions)

    def pass_keys(self) -> tuple[PassKey, ...]:
        """Return the keys of `passes` in the order in which the passes began.

        Which state comes first depends on which of them came at all, in a recording or to a viewer
        that was late; when a pass began is never left out.
        """
        counts = (len(self.passes), len(self.begun))
        if self.ordered[0] != counts:
            last = len(self.begun)
            keys = sorted(
                self.passes, key=lambda key: (self.begun.get(whole(key), last), key.dataloader)
            )
            self.ordered = (counts, tuple(keys))
        return self.ordered[1]

    def lost(self, now: float) -> frozenset[int]:
        """Ranks from which nothing more is to be expected."""
        return frozenset(
            rank.rank for rank in self.ranks.values() if rank.status(now) in ("silent", "failed")
        )

    def table(self, key: PassKey, now: float) -> Table | None:
        """The table of a pass, made anew only when something in it has changed."""
        taken = self.passes.get(key)
        if taken is None:
            return None
        lost = self.lost(now)
        world = self.world()
        version = (taken.version, lost, self.world_size, len(world.declares))
        known = self.tables.get(key)
        if known is None or known[0] != version:
            table = build_table(taken, self.world_size, lost, world.declares, world.versions)
            known = self.tables[key] = (version, table)
        return known[1]

    def logged(self, key: PassKey, now: float) -> LoggedTable | None:
        """What was logged in a pass, over all its dataloaders; made anew only when it changes."""
        taken = self.logs.get(whole(key))
        if taken is None:
            return None
        tables = self.tables_of(key, now)
        before = self._logged_before(whole(key))
        world, lost = self.world(), self.lost(now)
        version = (
            taken.version,
            lost,
            self.world_size,
            len(world.declares),
            None if before is None else before.version,
            *(id(table) for table in tables.values()),
        )
        known = self.logged_tables.get(whole(key))
        if known is None or known[0] != version:
            first = self.loaders[whole(key)][0]
            around = Surroundings(first, tables, world.declares, self.world_size, lost)
            ids = before.ids() if before is not None else ()
            known = (version, beside_before(build_logged_table(taken, around), ids))
            self.logged_tables[whole(key)] = known
            # Kept alive, so that no other table gets the identity of one that is in the version.
            self.judged_beside[whole(key)] = tuple(tables.values())
        return known[1]

    def _logged_before(self, key: PassKey) -> LoggedPass | None:
        """What was logged in the pass before, of the same stage."""
        if key.pass_ == 0:
            return None
        wanted = (key.generation, key.stage, key.pass_ - 1)
        found = (p for p in reversed(self.logs) if (p.generation, p.stage, p.pass_) == wanted)
        before = next(found, None)
        return self.logs[before] if before is not None else None

    def tables_of(self, key: PassKey, now: float) -> dict[int, Table]:
        """The tables of a pass by dataloader."""
        found = {each.dataloader: self.table(each, now) for each in self.loaders[whole(key)]}
        return {loader: table for loader, table in found.items() if table is not None}

    def is_closed(self, key: PassKey, now: float) -> bool:
        """Whether every rank that still lives has finished this pass for good."""
        expected = set(range(self.world_size)) - self.lost(now)
        return bool(expected) and expected <= self.closed[key]

    def has_ended(self, now: float) -> bool:
        """Whether every rank has said Bye, or has been silent for ten seconds."""
        if len(self.ranks) < self.world_size and now - self.first_at <= 10.0:
            return False
        if not all(rank.is_gone(now, self.first_at) for rank in self.ranks.values()):
            return False
        last = max(rank.last_at or self.first_at for rank in self.ranks.values())
        return now - last > AFTERLIFE

    def _rank(self, number: int, claim: str) -> Rank:
        """Return a rank; whoever speaks for it first is believed to be it."""
        rank = self.ranks.get(number)
        if rank is None:
            rank = self.ranks[number] = Rank(number, claim=claim)
            self.world_size = max(self.world_size, number + 1)
        return rank

    def _is_believed(self, rank: Rank, claim: str, now: float) -> bool:
        """Say whether this claimant speaks for the rank; if it succeeds another, it does now."""
        standing = rank.standing(claim, now, self.first_at)
        if standing == "successor":
            rank.succeed(claim)
            for earlier in rank.rivals.pop(claim, []):
                self._take(rank, earlier)
        return standing in ("speaker", "successor")

    def _take(self, rank: Rank, stamped: Stamped) -> None:
        body = stamped.envelope.body
        if isinstance(body, State):
            self._take_state(rank, body, stamped)
            return
        if isinstance(body, Logged | LoggerCall | Output):
            self._take_word(rank, body, stamped)
            return
        rank.take(stamped.envelope, stamped.at)
        if isinstance(body, Hello):
            self.name = body.name
            self.world_size = max(self.world_size, body.world_size)
        elif isinstance(body, Event):
            self._take_event(rank, body, stamped.at)

    def _take_state(self, rank: Rank, state: State, stamped: Stamped) -> None:
        key = PassKey(rank.generation, state.stage, state.pass_, state.epoch, state.dataloader)
        taken = self._pass(key)
        held = Held(state, stamped.envelope.claim, len(stamped.raw))
        taken.add(rank.rank, held, stamped.envelope.journal)
        self._note_change(key)
        if any(metric.fresh for metric in state.metrics):
            self.newest = key

    def _pass(self, key: PassKey) -> Pass:
        taken = self.passes.get(key)
        if taken is None:
            taken = self.passes[key] = Pass(key)
            self.loaders[whole(key)].append(key)
            self._forget_older(key)
        return taken

    def _take_word(self, rank: Rank, body: Logged | LoggerCall | Output, stamped: Stamped) -> None:
        """Take in what a rank logged, gave to a logger, or printed."""
        if isinstance(body, Output):
            self.output.add(rank.rank, body, rank.generation, stamped.times)
        elif isinstance(body, LoggerCall):
            self.logger_calls.add(rank.rank, body, stamped.times)
        else:
            envelope = stamped.envelope
            place = PassKey(rank.generation, body.stage, body.pass_, body.epoch, -1)
            if not self.loaders[place]:
                self._pass(place._replace(dataloader=0))
            held = HeldLogged(body, envelope.claim, envelope.journal)
            if self.logs.setdefault(place, LoggedPass()).add(rank.rank, held):
                self._note_change(place)

    def _note_change(self, key: PassKey) -> None:
        """Keep the passes in the order in which they last changed, the latest at the end."""
        place = whole(key)
        self.changes += 1
        self.changed.pop(place, None)
        self.changed[place] = self.changes

    def _take_event(self, rank: Rank, event: Event, at: float) -> None:
        if event.stage is None or event.kind == "exception":
            self.events.append((rank.rank, event))
        elif event.kind == "pass_end":
            for key in self.passes:
                if key[:4] == (rank.generation, event.stage, event.pass_, event.epoch):
                    self.closed[key].add(rank.rank)
        elif event.kind == "pass_begin":
            place = PassKey(rank.generation, event.stage, event.pass_, event.epoch, -1)
            self.begun.setdefault(place, len(self.begun))
            if event.stage == "train" and self.train_began is None:
                self.train_began, self.first_epoch = at, event.epoch

    def _forget_older(self, key: PassKey) -> None:
        same = [k for k in self.passes if k.stage == key.stage and k.dataloader == key.dataloader]
        for old in same[:-FRESH_PASSES]:
            self.passes[old].forget_past()
            self.tables.pop(old, None)
            self.logged_tables.pop(whole(old), None)
            self.judged_beside.pop(whole(old), None)


def whole(key: PassKey) -> PassKey:
    """The key of a pass with all its dataloaders; theirs is -1 there."""
    return key._replace(dataloader=-1)
