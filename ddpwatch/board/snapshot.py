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
    `global_` is None.
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


@dataclass(frozen=True, slots=True)
class Table:
    """All rows of one pass, at the newest step that its ranks share.

    `step` is that `batch_idx`, -1 when no step is shared yet. `behind` are ranks whose newest state
    is older than the newest of all; `absent` those with no state of this pass at `step`. `samples`
    is the loader's count per rank, -1 where unknown.
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


@dataclass(frozen=True, slots=True)
class LinkInfo:
    """The state of the source: where it listens, and what it turned away, by kind."""

    address: str = ""
    live: bool = True
    received: int = 0
    rejected: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known at `at`: all runs in brief and, if any, the one in view in full."""

    at: float
    link: LinkInfo
    runs: tuple[RunSummary, ...] = ()
    run: RunView | None = None
