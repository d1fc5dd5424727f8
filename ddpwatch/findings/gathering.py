"""How does what the board knows of a run become evidence? Only of passes that have changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ddpwatch.board.passes import Pass
from ddpwatch.board.rank import Rank
from ddpwatch.board.run import Run
from ddpwatch.board.snapshot import LoggedRow, PassKey
from ddpwatch.findings.evidence import (
    Ended,
    Evidence,
    LoaderPass,
    Pace,
    PassEvidence,
    Use,
)
from ddpwatch.findings.logged_rows import epoch_rows
from ddpwatch.wire.messages import Declare, Progress, State

PAUSE = 0.25
"""Seconds between two looks at a run in which something changes all the time."""

NEWEST = 6
"""Passes that are looked at again when a rank is lost."""

_PACE_WEIGHT = 0.1


@dataclass(slots=True)
class Gathering:
    """Remembers of one run what has been looked at, and what rules need of the past."""

    change: int = 0
    world: tuple[frozenset[int], int] = (frozenset(), 0)
    looked_at: float | None = None
    uses: dict[str, frozenset[Use]] = field(default_factory=dict)
    sanity: dict[str, int] = field(default_factory=dict)
    newest_rows: dict[str, LoggedRow] = field(default_factory=dict)
    paces: dict[int, Pace] = field(default_factory=dict)
    paced: dict[int, Progress] = field(default_factory=dict)

    def evidence(self, run: Run, now: float, *, at_once: bool) -> Evidence | None:
        """Return what a rule may look at now; None where it is too soon, unless `at_once`."""
        is_soon = self.looked_at is not None and 0 <= now - self.looked_at < PAUSE
        if is_soon and not at_once:
            return None
        self.looked_at = now
        self._pace(run)
        passes = tuple(self._changed(run, now))
        for taken in passes:
            self._remember(taken)
        ranks = run.ranks
        return Evidence(
            now=now,
            world_size=run.world_size,
            ranks=tuple(
                (ranks.get(rank) or Rank(rank)).info(now) for rank in range(run.world_size)
            ),
            hellos={r.rank: r.hello for r in ranks.values() if r.hello is not None},
            declares={r.rank: d for r in ranks.values() if (d := _newest(r)) is not None},
            progress={r.rank: r.latest for r in ranks.values() if r.latest is not None},
            pulses={r.rank: r.pulse for r in ranks.values() if r.pulse is not None},
            passes=passes,
            calls=run.logger_calls.snapshot(run.world_size),
            uses=dict(self.uses),
            sanity=dict(self.sanity),
            newest_rows=dict(self.newest_rows),
            paces=dict(self.paces),
            ended=_ended(run),
        )

    def _changed(self, run: Run, now: float) -> Iterator[PassEvidence]:
        """Passes in which something has come since, the one that changed first before the rest.

        When a rank is lost or declares something, the newest passes are looked at once more: what
        is known of them may be final now, or have got its names.
        """
        world = (run.lost(now), sum(len(rank.declares) for rank in run.ranks.values()))
        again = NEWEST if world != self.world else 0
        self.world = world
        keys = []
        for number, (key, change) in enumerate(reversed(run.changed.items())):
            if change <= self.change and number >= again:
                break
            keys.append(key)
        self.change = run.changes
        for key in reversed(keys):
            yield _pass(run, key, now)

    def _remember(self, taken: PassEvidence) -> None:
        stage = "validate" if taken.key.stage == "sanity_check" else taken.key.stage
        for loader in taken.loaders:
            for rank in loader.states:
                for held in loader.held(rank):
                    path, use = held.metric.path, Use(stage, loader.key.dataloader)
                    if use not in self.uses.get(path, ()):
                        self.uses[path] = self.uses.get(path, frozenset()) | {use}
                    if taken.key.stage == "sanity_check":
                        self.sanity[path] = held.state.fresh
        for row in epoch_rows(taken):
            self.newest_rows.update(dict.fromkeys((row.id.name, row.alias or row.id.name), row))

    def _pace(self, run: Run) -> None:
        """Fold each rank's newest step into its mean of own work per training step."""
        for rank in run.ranks.values():
            latest = rank.latest
            if latest is None or latest.before_collective is None:
                continue
            if self.paced.get(rank.rank) is latest or latest.stage != "train":
                continue
            self.paced[rank.rank] = latest
            own = latest.before_collective + (latest.data_wait or 0.0)
            before = self.paces.get(rank.rank, Pace(own, 0))
            weight = max(_PACE_WEIGHT, 1 / (before.steps + 1))
            mean = before.seconds + weight * (own - before.seconds)
            self.paces[rank.rank] = Pace(mean, before.steps + 1)


def _pass(run: Run, key: PassKey, now: float) -> PassEvidence:
    said = run.logs.get(key)
    loaders = [run.passes[each] for each in run.loaders[key] if each in run.passes]
    return PassEvidence(
        key=key._replace(dataloader=0),
        loaders=tuple(_loader(run, taken, now) for taken in loaders),
        logged=run.logged(key, now),
        said={} if said is None else {rank: held.logged for rank, held in said.ranks.items()},
    )


def _loader(run: Run, taken: Pass, now: float) -> LoaderPass:
    states: dict[int, State] = {}
    earlier: dict[int, State] = {}
    declares: dict[int, Declare] = {}
    for rank, held in taken.ranks.items():
        newest = held.newest
        if newest is None:
            continue
        states[rank] = newest.state
        earlier[rank] = held.recent[min(held.recent)].state if held.recent else newest.state
        declare = run.ranks[rank].declares.get((newest.claim, newest.state.declare))
        if declare is not None:
            declares[rank] = declare
    return LoaderPass(taken.key, states, declares, run.table(taken.key, now), earlier)


def _newest(rank: Rank) -> Declare | None:
    """The highest version that the present claimant has declared."""
    own = [declare for (claim, _), declare in rank.declares.items() if claim == rank.claim]
    return max(own, key=lambda declare: declare.version, default=None)


def _ended(run: Run) -> tuple[Ended, ...]:
    found = [
        Ended(rank, event.at, event.text) for rank, event in run.events if event.kind == "exception"
    ]
    return tuple(sorted(found, key=lambda ended: ended.at))
