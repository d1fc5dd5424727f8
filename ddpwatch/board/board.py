"""What is known now? Items of any source fold in; frozen snapshots come out.

The board has no clock: time comes in with the items, and only there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import is_
from typing import Protocol

from ddpwatch.board.findings_told import Verdict, decode
from ddpwatch.board.joined import logged_with_codes, table_with_logged
from ddpwatch.board.problems import problems_of
from ddpwatch.board.progress import remaining, stage_progress, steps_per_second
from ddpwatch.board.rank import Rank
from ddpwatch.board.run import Run
from ddpwatch.board.series import over_epochs, over_steps
from ddpwatch.board.snapshot import (
    Finding,
    LinkInfo,
    LoggedTable,
    PassKey,
    RankInfo,
    RowKey,
    RunSummary,
    RunView,
    Series,
    Snapshot,
    Table,
    View,
)
from ddpwatch.errors import FrameError
from ddpwatch.wire.stamped import (
    Begun,
    Heard,
    Item,
    Lost,
    Rejected,
    Restart,
    Stamped,
    Tick,
    Told,
)


class Diagnosis(Protocol):
    """What knows faults when it sees them; it asks the run for evidence and remembers."""

    def findings(self, run: Run, now: float) -> tuple[Finding, ...]:
        """Return all findings about `run`; the same tuple as long as nothing has changed."""
        ...

    def learn(self, run: str, verdict: Verdict) -> None:
        """Take in what somebody upstream has proven, or takes back."""
        ...

    def forget(self) -> None:
        """Know nothing of any run any more."""
        ...


class Board:
    """Folds stamped messages of any number of runs, in any order, repeats included."""

    def __init__(self, address: str = "", diagnosis: Diagnosis | None = None) -> None:
        """`address` is where the source listens, for the screen to show.

        Without a `diagnosis` there are no findings.
        """
        self.address = address
        self.diagnosis = diagnosis
        self.runs: dict[str, Run] = {}
        self.now = 0.0
        self.rejected: Counter[str] = Counter()
        self.received = 0
        self.is_live = True

    def fold(self, items: Iterable[Item]) -> None:
        """Take in a batch, in receive order."""
        for item in items:
            if isinstance(item, Restart):
                self._restart(item.at)
            self.now = max(self.now, item.at)
            if isinstance(item, Stamped):
                self.received += 1
                self._run(item.envelope.run, item.at).fold(item)
            elif not isinstance(item, Tick | Restart):
                self._fold_rarer(item)

    def findings(self, run: Run) -> tuple[Finding, ...]:
        """Everything that is known to be wrong with a run, the gravest first."""
        return () if self.diagnosis is None else self.diagnosis.findings(run, self.now)

    def snapshot(self, view: View) -> Snapshot:
        """Return what `view` wants to see; the newest stands in for a run or pass not there."""
        run = self.runs.get(view.run) if view.run is not None else None
        if run is None:
            run = self._newest_run()
        return Snapshot(
            at=self.now,
            link=LinkInfo(
                address=self.address,
                live=self.is_live,
                received=self.received,
                rejected=dict(self.rejected),
            ),
            runs=tuple(self._summary(each) for each in self.runs.values()),
            run=None if run is None else self._view(run, view),
        )

    def _run(self, run: str, at: float) -> Run:
        known = self.runs.get(run)
        if known is None:
            known = self.runs[run] = Run(run, at)
        return known

    def _fold_rarer(self, item: Rejected | Told | Lost | Heard | Begun) -> None:
        if isinstance(item, Rejected):
            self.rejected[item.kind] += item.count
        elif isinstance(item, Told):
            self._learn(item)
        elif isinstance(item, Lost):
            self.is_live = False
        elif isinstance(item, Heard):
            self._run(item.run, item.at).hear(item)
        else:
            self._run(item.run, item.at).begin(item)

    def _restart(self, at: float) -> None:
        self.is_live = True
        self.runs.clear()
        self.rejected.clear()
        self.received, self.now = 0, at
        if self.diagnosis is not None:
            self.diagnosis.forget()

    def _learn(self, told: Told) -> None:
        if self.diagnosis is None:
            return
        try:
            self.diagnosis.learn(told.run, decode(told.raw))
        except FrameError as error:
            self.rejected[error.kind] += 1

    def _newest_run(self) -> Run | None:
        """The latest run that lives, else the latest of all."""
        runs = list(self.runs.values())
        living = [run for run in runs if not run.has_ended(self.now)]
        candidates = living or runs
        return candidates[-1] if candidates else None

    def _summary(self, run: Run) -> RunSummary:
        ranks = run.ranks.values()
        newest = max(
            (r.latest for r in ranks if r.latest), key=lambda p: p.global_step, default=None
        )
        return RunSummary(
            run=run.run,
            name=run.name or run.run,
            world_size=run.world_size,
            live=sum(rank.status(self.now) == "live" for rank in ranks),
            started=min((r.hello.started for r in ranks if r.hello), default=run.first_at),
            ended=run.has_ended(self.now),
            stage=newest.stage if newest else "",
            epoch=newest.epoch if newest else 0,
        )

    def _view(self, run: Run, view: View) -> RunView:
        ranks = list(run.ranks.values())
        ended = run.has_ended(self.now)
        key = _choose(run, view)
        table = run.table(key, self.now) if key is not None else None
        logged = run.logged(key, self.now) if key is not None else None
        findings = self.findings(run)
        progress = stage_progress(ranks, ended=ended)
        running = next((p for p in reversed(progress) if p.running), None)
        newest = running or (progress[-1] if progress else None)
        alive = [r for r in ranks if r.status(self.now) == "live"]
        infos = tuple(self._info(run, rank) for rank in range(run.world_size))
        return RunView(
            run=run.run,
            name=run.name or run.run,
            world_size=run.world_size,
            nodes=len({r.hello.node for r in ranks if r.hello}),
            ended=ended,
            stage=newest.stage if newest else "",
            epoch=newest.epoch if newest else 0,
            max_epochs=next((r.hello.max_epochs for r in ranks if r.hello), None),
            steps_per_second=steps_per_second(alive),
            eta=None if ended else self._eta(run, alive),
            lag=max((rank.lag for rank in alive), default=None),
            ranks=infos,
            progress=progress,
            passes=run.pass_keys(),
            table=_joined_table(run, table, logged, findings),
            series=_series(run, table, view),
            problems=problems_of(infos, run.name or run.run),
            logged=_joined_logged(run, logged, findings),
            logger_rows=run.logger_calls.snapshot(run.world_size),
            findings=findings,
            output=run.output.snapshot(),
            output_dropped=sum(r.pulse.output_dropped for r in ranks if r.pulse),
        )

    def _info(self, run: Run, rank: int) -> RankInfo:
        known = run.ranks.get(rank)
        return (known or Rank(rank)).info(self.now)

    def _eta(self, run: Run, alive: list[Rank]) -> float | None:
        if run.train_began is None:
            return None
        return remaining(alive, run.train_began, run.first_epoch, self.now)


def _joined_table(
    run: Run, table: Table | None, logged: LoggedTable | None, findings: tuple[Finding, ...]
) -> Table | None:
    if table is None:
        return None
    parts = (table, logged, findings)
    if not _are(run.joined_table[0], parts):
        run.joined_table = (parts, table_with_logged(table, logged, findings))
    return run.joined_table[1]


def _joined_logged(
    run: Run, logged: LoggedTable | None, findings: tuple[Finding, ...]
) -> LoggedTable | None:
    if logged is None:
        return None
    parts = (logged, findings)
    if not _are(run.joined_logged[0], parts):
        run.joined_logged = (parts, logged_with_codes(logged, findings))
    return run.joined_logged[1]


def _are(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether two tuples hold the very same objects, so that what was made of one still holds."""
    return len(one) == len(other) and all(map(is_, one, other))


def _choose(run: Run, view: View) -> PassKey | None:
    """The pass asked for, else the newest of its stage or of that asked for, else of all."""
    if view.key is not None:
        if view.key in run.passes:
            return view.key
        alike = (view.key.stage, view.key.dataloader)
        same = (k for k in reversed(run.passes) if (k.stage, k.dataloader) == alike)
        if (found := next(same, None)) is not None:
            return found
    if view.stage is None:
        return run.newest or next(reversed(run.pass_keys()), None)
    return next((key for key in reversed(run.pass_keys()) if key.stage == view.stage), None)


def _series(run: Run, table: Table | None, view: View) -> Series | None:
    """The series of the row asked for, else of the table's first."""
    if table is None or not table.rows:
        return None
    keys = [row.key for row in table.rows]
    row: RowKey = view.row if view.row in keys and view.row is not None else keys[0]
    taken = run.passes[table.key]
    if view.over == "steps":
        return over_steps(taken, row, run.world(), run.series)
    same = (
        each
        for key, each in run.passes.items()
        if (key.stage, key.dataloader) == (table.key.stage, table.key.dataloader)
    )
    return over_epochs(same, row, run.world(), run.series)
