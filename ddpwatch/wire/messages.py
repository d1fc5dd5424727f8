"""Which messages does a rank send, and what does each one carry?

Everything is frozen, plain data. Unknown fields are ignored and defaults are left out, so both ends
may be of different versions; `PROTOCOL` changes only when an old reader would misunderstand.
They hold no cycles and come by the thousand, so the garbage collector is told to pass them by.
Times are seconds: `sent` and `started` on the sender's wall clock, durations as such.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

PROTOCOL = 1

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Index = Annotated[int, msgspec.Meta(ge=0, le=2**24)]
Name = Annotated[str, msgspec.Meta(max_length=512)]
Text = Annotated[str, msgspec.Meta(max_length=16_384)]
Stage = Literal["sanity_check", "train", "validate", "test", "predict"]


class Message(
    msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, tag_field="t"
):
    """Base of everything that a rank sends."""


class Array(msgspec.Struct, frozen=True, gc=False, array_like=True, tag="a"):
    """A dense tensor: C order, little endian. `dtype` is NumPy's name, or `bfloat16`."""

    dtype: Name
    shape: Annotated[tuple[Count, ...], msgspec.Meta(max_length=8)]
    data: bytes


class ListSize(msgspec.Struct, frozen=True, gc=False, array_like=True, tag="l"):
    """An unbounded list state, which is not shipped: its length, and the bytes it holds."""

    length: Count
    nbytes: Count


class StateSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One accumulated tensor of a metric, as its class declares it."""

    name: Name
    reduction: Literal["sum", "mean", "max", "min", "cat", "none", "custom"]
    dtype: Name = ""
    is_list: bool = False


class TrackedMetric(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A torchmetrics `Metric` that a rank follows.

    `cls` is the object's own class, `base` the torchmetrics class whose update and compute it uses
    unchanged (empty when a subclass replaced either, so that no formula may be assumed).
    `object` tells two paths to one object from two objects. `params` is plain data only. `shadow`
    says that ddpwatch itself keeps and updates it. `group` is the index of the metric whose state
    it shares (compute groups), -1 where it has its own.
    """

    path: Name
    cls: Name
    base: Name = ""
    params: dict[str, Any] = {}
    labels: Annotated[tuple[Name, ...], msgspec.Meta(max_length=65_536)] = ()
    registered: bool = True
    device: Name = "cpu"
    object: int = 0
    states: tuple[StateSpec, ...] = ()
    shadow: bool = False
    group: int = -1


class MetricState(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The accumulated state of `Declare.metrics[metric]`.

    `updates` counts all updates since its last reset, `fresh` those since this pass and loader
    began; a metric takes part in a pass only where `fresh` is above 0. `leader` >= 0 says that the
    tensors are those of that other metric (compute groups), and `states` is then empty.
    """

    metric: Index
    updates: Count
    fresh: Count
    leader: int = -1
    states: tuple[Array | ListSize, ...] = ()


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """Who this rank is. `world_size` is torch's, `launched_world_size` the launcher's."""

    name: Name
    world_size: Annotated[int, msgspec.Meta(ge=1, le=2**20)]
    launched_world_size: int | None = None
    node: Name
    node_rank: Index = 0
    local_rank: Index = 0
    pid: Count
    started: float
    device: Name = "cpu"
    strategy: Name = ""
    versions: dict[Name, Name] = {}
    entry: Name = ""
    max_epochs: int | None = None


class Loader(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One dataloader of a stage, and how its sampler shares the set among the ranks.

    `length` is the dataset's number of samples, `drawn` how many this rank's sampler yields,
    `total` those of all ranks with padding, `replicas` and `replica` the sampler's own idea of
    world size and rank. `fingerprint` is a hash of the subset's indices (empty where the dataset is
    no subset), the same on ranks that hold the same subset.
    """

    stage: Stage
    dataloader: Index = 0
    cls: Name = ""
    sampler: Name = ""
    batch_size: Count | None = None
    batches: Count | None = None
    length: Count | None = None
    drawn: Count | None = None
    total: Count | None = None
    replicas: Count | None = None
    replica: Count | None = None
    drop_last: bool | None = None
    shuffle: bool | None = None
    fingerprint: Name = ""


class Monitor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What takes a decision by a logged key: `checkpoint`, `early_stopping` or `scheduler`."""

    kind: Name
    key: Name
    mode: Name = ""
    patience: Count | None = None


class Declare(Message, frozen=True, kw_only=True, tag="declare"):
    """What is known once a stage begins; sent again, with the next `version`, on change.

    `loggers` are the class names of the Trainer's loggers, `notes` what ddpwatch could not follow.
    """

    version: Index
    metrics: tuple[TrackedMetric, ...] = ()
    loaders: tuple[Loader, ...] = ()
    monitors: tuple[Monitor, ...] = ()
    loggers: tuple[Name, ...] = ()
    notes: tuple[Text, ...] = ()


class Progress(Message, frozen=True, kw_only=True, tag="progress"):
    """Where this rank is. `step_time` and `data_wait` are seconds of the latest step.

    `before_collective` are its seconds from the batch's arrival to the backward pass, where DDP
    begins to wait for the other ranks.
    """

    stage: Stage
    pass_: Index
    epoch: Index
    dataloader: Index = 0
    step: Count
    steps: Count | None = None
    global_step: Count = 0
    samples: Count = 0
    step_time: float | None = None
    data_wait: float | None = None
    before_collective: float | None = None
    lr: float | None = None


class State(Message, frozen=True, kw_only=True, tag="state"):
    """The whole accumulated state of one rank at one step (`batch_idx`) of one pass and dataloader.

    `declare` is the version of `Declare` that `MetricState.metric` indexes. `batches` and `samples`
    count what this rank saw in this pass and loader; `step` is -1 when it saw nothing. `checksum`
    is a sum over the samples that this rank saw, in any order the same, 0 where not taken.
    """

    stage: Stage
    pass_: Index
    epoch: Index
    dataloader: Index = 0
    step: Annotated[int, msgspec.Meta(ge=-1, le=2**53)]
    steps: Count | None = None
    global_step: Count = 0
    batches: Count = 0
    samples: Count | None = None
    declare: Index = 0
    final: bool = False
    metrics: tuple[MetricState, ...] = ()
    checksum: Count = 0


class LoggedKey(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """All calls of `self.log` with one name, in one hook, on one rank, since the pass began.

    `hook` is Lightning's (`validation_step`), `name` the user's, `dataloader` the index that
    Lightning appends or -1 where it appends none. `sync_dist` is what the call asked for, `syncs`
    what Lightning does about it. `order` counts first calls within the pass from 0. For a tensor,
    `weighted_sum` is the sum of value x batch size, `weight` of batch sizes, `total` of values,
    over the finite and the non-finite; `last`, `least` and `most` are single values.
    `nonfinite` counts values that are not finite, the first at `nonfinite_step`. For a metric
    object `metric` is its path and the sums stay 0. `metric_syncs` is False where the metric will
    not reduce its states (`sync_on_compute=False`). `origin` says where
    a tensor came from, proven bit for bit: `compute:PATH` or `forward:PATH` of a tracked metric
    (a `:LABEL` index follows for one entry of several), empty where not proven.
    """

    hook: Name
    name: Name
    dataloader: int = -1
    on_step: bool = False
    on_epoch: bool = False
    sync_dist: bool = False
    syncs: bool = False
    reduce_fx: Name = "mean"
    rank_zero_only: bool = False
    logger: bool = True
    prog_bar: bool = False
    group: Name = ""
    metric: Name = ""
    metric_syncs: bool = True
    order: Index = 0
    calls: Count = 0
    weighted_sum: float = 0.0
    weight: float = 0.0
    total: float = 0.0
    least: float | None = None
    most: float | None = None
    last: float | None = None
    last_step: int = -1
    nonfinite: Count = 0
    nonfinite_step: int = -1
    origin: Name = ""


class Emitted(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One name under which Lightning gives out a logged key, with what this rank ended with.

    `key` indexes `Logged.keys`; `name` is the full name, with `_step`, `_epoch` and the loader's
    suffix as Lightning makes them; `local` is what the rank held before any sync, `value` after.
    """

    key: Index
    name: Name
    kind: Literal["step", "epoch"]
    local: float | None = None
    value: float | None = None


class MonitorState(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What `Declare.monitors[monitor]` holds on this rank."""

    monitor: Index
    current: float | None = None
    best: float | None = None
    wait: Count | None = None
    path: Text = ""
    stopped: bool = False


class Logged(Message, frozen=True, kw_only=True, tag="logged"):
    """Everything that one rank logged in one pass so far, cumulative; `final` once it is over.

    `pass_` counts passes of `stage` as in `State`; loaders are told apart within the keys. Of a
    validation, the last word is said once more, as `revision` 1, when the training epoch around it
    ends, since monitors may decide only then; monitors are comparable at equal revisions.
    """

    stage: Stage
    pass_: Index
    epoch: Index
    step: Annotated[int, msgspec.Meta(ge=-1, le=2**53)]
    global_step: Count = 0
    declare: Index = 0
    final: bool = False
    keys: tuple[LoggedKey, ...] = ()
    emitted: tuple[Emitted, ...] = ()
    monitors: tuple[MonitorState, ...] = ()
    more_keys: Count = 0
    revision: Count = 0


class LoggerCall(Message, frozen=True, kw_only=True, tag="logger"):
    """A call on a logger or on its `experiment`; `written` is False where rank > 0 discards it.

    `hook` is `self.log` for what Lightning passes on by itself, on every rank.
    `name` is the tag or key; `value` is the number if there is one, else `text` is a short account
    of what was given.
    """

    logger: Name
    method: Name
    name: Name = ""
    value: float | None = None
    text: Text = ""
    step: int | None = None
    written: bool = True
    at: float = 0.0
    stage: Stage | None = None
    pass_: Index = 0
    epoch: Index = 0
    hook: Name = ""


class Output(Message, frozen=True, kw_only=True, tag="output"):
    """A line that this rank printed, on `stdout`, `stderr` or through `logging`."""

    stream: Literal["stdout", "stderr", "logging"]
    text: Text
    at: float
    stage: Stage | None = None
    pass_: Index = 0
    epoch: Index = 0
    hook: Name = ""


class Pulse(Message, frozen=True, kw_only=True, tag="pulse"):
    """Proof of life from the publisher thread: the hook last entered and for how many seconds.

    `stack` is the main thread's, once it has been in one place for some seconds. `dropped` counts
    messages this rank gave up, `failures` captures that raised, `journal_lost` finals beyond the
    journal's bound, `output_dropped` printed lines and logger calls that came too fast to send.
    """

    hook: Name
    key: Name = ""
    since: float
    stack: Text = ""
    dropped: Count = 0
    failures: Count = 0
    journal_lost: Count = 0
    bytes_sent: Count = 0
    output_dropped: Count = 0


class Event(Message, frozen=True, kw_only=True, tag="event"):
    """Something happened: `pass_begin`, `pass_end`, `exception`, `capture_failed`, ..."""

    kind: Name
    at: float
    stage: Stage | None = None
    pass_: Index = 0
    epoch: Index = 0
    text: Text = ""


class Bye(Message, frozen=True, kw_only=True, tag="bye"):
    """The last word of a rank: `finished`, `exception` or `closed`."""

    reason: Name
    text: Text = ""


Body: TypeAlias = (
    Hello | Declare | Progress | State | Logged | LoggerCall | Output | Pulse | Event | Bye
)


class Envelope(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What every frame of a rank says before its body.

    `claim` is a random word for this (node, pid, start): it tells a restarted rank from a rival.
    `seq` grows by one with every frame the rank sends or gives up, so a gap is a loss; `journal` is
    the entry's number in the journal, or 0 for what is not kept.
    """

    run: Name
    rank: Index
    claim: Name
    seq: Count
    journal: Count
    sent: float
    body: Body
