"""What crosses from the board to a screen: one frozen picture of what is known now.

Arrays are read-only, indexed by rank, and as long as the world is wide. A value that is absent has
`present` False; not-a-number is a value and is present.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]

Severity: TypeAlias = Literal["info", "warning", "error"]
Reduction: TypeAlias = Literal[
    "rank-local",
    "mean-of-batches",
    "mean-of-batches-floored",
    "mean-of-ranks",
    "sum-of-ranks",
    "max-of-ranks",
    "min-of-ranks",
    "state-reduced",
    "unknown",
]
"""How a logged value came about; `unknown` where metadata and numbers do not decide it."""

Status: TypeAlias = Literal["unseen", "live", "silent", "ended", "failed"]


class PassKey(NamedTuple):
    """One pass of one stage over one dataloader; `generation` counts restarts of the run."""

    generation: int
    stage: str
    pass_: int
    epoch: int
    dataloader: int


class RowKey(NamedTuple):
    """One row of the Metrics table: `label` is -1 for the averaged value, else an index."""

    metric: str
    score: str
    label: int = -1


class LoggedId(NamedTuple):
    """One emitted name of one pass: `dataloader` is -1 where Lightning appends no index."""

    hook: str
    name: str
    kind: str
    dataloader: int = -1


@dataclass(frozen=True, slots=True)
class View:
    """What a screen wants to see. None means: follow what is newest."""

    run: str | None = None
    stage: str | None = None
    key: PassKey | None = None
    row: RowKey | None = None
    over: Literal["steps", "epochs"] = "steps"


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of the list of runs."""

    run: str
    name: str
    world_size: int
    live: int
    started: float
    ended: bool
    stage: str
    epoch: int


@dataclass(frozen=True, slots=True)
class RankInfo:
    """One rank: who it is, where it is, and when it was last heard (`silent_for`, seconds)."""

    rank: int
    status: Status
    node: str = ""
    local_rank: int = 0
    pid: int = 0
    device: str = ""
    silent_for: float | None = None
    stage: str = ""
    epoch: int = 0
    step: int | None = None
    hook: str = ""
    hook_for: float | None = None
    stack: str = ""
    missing: int = 0
    dropped: int = 0
    failures: int = 0
    journal_lost: int = 0
    conflict: bool = False
    step_time: float | None = None
    exception: str = ""


@dataclass(frozen=True, slots=True)
class StageProgress:
    """How far the slowest live rank of a stage is. `steps` is None for a loader without length."""

    stage: str
    pass_: int
    epoch: int
    dataloader: int
    step: int
    steps: int | None
    running: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity: every rank's own value, their plain mean, and the value over all ranks.

    `gap` is mean - global. `samples` are those the metric counted, -1 where unknown. A rank whose
    metric was not updated in this pass has `present` False and `samples` 0. `reason` says why
    `global_` is None. `logged` is the emitted key that reports this quantity, if one does,
    `logged_value` what rank 0 ended with under it and `logged_gap` that minus global. `codes` are
    the findings about this row or its key.
    """

    key: RowKey
    cls: str
    average: str
    own: bool
    label: str | None
    values: FloatArray
    present: BoolArray
    samples: NDArray[np.int64]
    mean: float | None
    global_: float | None
    gap: float | None
    reason: str = ""
    logged: LoggedId | None = None
    logged_value: float | None = None
    logged_gap: float | None = None
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """All rows of one pass, at the newest step that its ranks share.

    `step` is that `batch_idx`, -1 when no step is shared yet. `behind` are ranks whose newest state
    is older than the newest of all; `absent` those with no state of this pass at `step`. `samples`
    is the loader's count per rank, -1 where unknown, and `codes` those of the findings about them.
    """

    key: PassKey
    step: int
    steps: int | None
    final: bool
    rows: tuple[Row, ...]
    samples: NDArray[np.int64]
    rank_steps: NDArray[np.int64]
    behind: frozenset[int] = frozenset()
    absent: frozenset[int] = frozenset()
    note: str = ""
    bytes_per_rank: int | None = None
    global_step: int = 0
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoggedRow:
    """One emitted name: what each rank held before any sync, and what its Lightning ended with.

    `called` says which ranks logged the key at all, `calls` how often, `order` as which key of the
    pass (-1 where not called). `local` and `ranks` are NaN where `called` or `ended` is False;
    `ended` says whose value after the sync is known. `source` is `metric PATH`, `compute of PATH`,
    `forward of PATH` or `tensor`. `basis` says in a few words what the reduction was decided from,
    or what would make an unknown one known. `gap` is what rank 0 ended with - `global_`.
    `alias` is the plain name that Lightning also gives out for a key with `_step` and `_epoch`,
    `was` the name in the pass before, where another number of dataloaders has changed it.
    """

    id: LoggedId
    on_step: bool
    on_epoch: bool
    sync_dist: bool
    reduce_fx: str
    rank_zero_only: bool
    logger: bool
    prog_bar: bool
    source: str
    called: BoolArray
    ended: BoolArray
    calls: NDArray[np.int64]
    order: NDArray[np.int64]
    nonfinite: NDArray[np.int64]
    local: FloatArray
    ranks: FloatArray
    reduction: Reduction
    basis: str = ""
    metric: RowKey | None = None
    global_: float | None = None
    gap: float | None = None
    monitored_by: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    alias: str = ""
    was: str = ""

    @property
    def has_local(self) -> BoolArray:
        """Which ranks' own values are known; one that is NaN itself is known, too."""
        return self.called & (~np.isnan(self.local) | (self.nonfinite > 0))


@dataclass(frozen=True, slots=True)
class LoggedTable:
    """All keys logged in one pass, of all its dataloaders; `final` once every live rank is done.

    `gone` are the names that were logged in the pass before and not in this one.
    """

    key: PassKey
    step: int
    final: bool
    rows: tuple[LoggedRow, ...]
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnosed fault, as docs/findings/CODE.md explains it.

    `key` is the logged key, metric path, class or state that it is about, "" where it is about the
    run. `message` is one sentence with the numbers, `why` the reason, `fix` a few lines of code
    or advice. `first_at` is the source's time at which it was first proven.
    """

    code: str
    severity: Severity
    title: str
    message: str
    why: str
    fix: str
    key: str = ""
    ranks: tuple[int, ...] = ()
    pass_key: PassKey | None = None
    first_at: float = 0.0


@dataclass(frozen=True, slots=True)
class OutputLine:
    """One printed line; the same line of several ranks in the same hook of one pass is folded.

    `count` is how many times it was printed in all.
    """

    at: float
    ranks: tuple[int, ...]
    stream: str
    text: str
    stage: str
    epoch: int
    hook: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class LoggerRow:
    """All calls with one method and tag on one logger, per rank; `values` are the latest."""

    logger: str
    method: str
    tag: str
    hook: str
    stage: str
    calls: NDArray[np.int64]
    written: BoolArray
    values: FloatArray
    steps: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Series:
    """The chosen row over time: `ranks` is (W, N), the rest (N,); NaN where there is none."""

    row: RowKey
    over: Literal["steps", "epochs"]
    x: FloatArray
    ranks: FloatArray
    mean: FloatArray
    global_: FloatArray


@dataclass(frozen=True, slots=True)
class RunView:
    """One run, as far as a screen shows it."""

    run: str
    name: str
    world_size: int
    nodes: int
    ended: bool
    stage: str
    epoch: int
    max_epochs: int | None
    steps_per_second: float | None
    eta: float | None
    lag: float | None
    ranks: tuple[RankInfo, ...]
    progress: tuple[StageProgress, ...]
    passes: tuple[PassKey, ...]
    table: Table | None
    series: Series | None
    problems: tuple[str, ...] = ()
    logged: LoggedTable | None = None
    logger_rows: tuple[LoggerRow, ...] = ()
    findings: tuple[Finding, ...] = ()
    output: tuple[OutputLine, ...] = ()
    output_dropped: int = 0


@dataclass(frozen=True, slots=True)
class RecordingInfo:
    """Where what is seen is being recorded, and how many messages were not, and why."""

    folder: str
    nbytes: int = 0
    lost: int = 0
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class LinkInfo:
    """The state of the source: its address, and what was turned away there, by kind.

    `live` is False while the hub that is looked on through does not answer.
    """

    address: str = ""
    live: bool = True
    received: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    recording: RecordingInfo | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A place worth jumping to: the end of an `epoch`, a first `finding`, the begin of a `part`."""

    at: float
    kind: Literal["epoch", "finding", "part"]
    text: str
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Playback:
    """Where a replay stands. Times are the recording's, in seconds of wall time.

    `marks` are in time order; `is_whole` is False while they are still being looked for. `notes`
    say what is wrong with the files, for the reader of the screen.
    """

    start: float
    end: float
    at: float
    speed: float
    paused: bool
    marks: tuple[Mark, ...] = ()
    is_whole: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known at `at`: all runs in brief and, if any, the one in view in full.

    `playback` is there where the source is a recording.
    """

    at: float
    link: LinkInfo
    runs: tuple[RunSummary, ...] = ()
    run: RunView | None = None
    playback: Playback | None = None
