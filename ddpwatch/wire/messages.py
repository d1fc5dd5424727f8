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
    `object` tells two paths to one object from two objects. `params` is plain data only.
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


class Declare(Message, frozen=True, kw_only=True, tag="declare"):
    """What is known once a stage begins; sent again, with the next `version`, on change."""

    version: Index
    metrics: tuple[TrackedMetric, ...] = ()


class Progress(Message, frozen=True, kw_only=True, tag="progress"):
    """Where this rank is. `step_time` and `data_wait` are seconds of the latest step."""

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
    lr: float | None = None


class State(Message, frozen=True, kw_only=True, tag="state"):
    """The whole accumulated state of one rank at one step (`batch_idx`) of one pass and dataloader.

    `declare` is the version of `Declare` that `MetricState.metric` indexes. `batches` and `samples`
    count what this rank saw in this pass and loader; `step` is -1 when it saw nothing.
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


class Pulse(Message, frozen=True, kw_only=True, tag="pulse"):
    """Proof of life from the publisher thread: the hook last entered and for how many seconds.

    `stack` is the main thread's, once it has been in one place for some seconds. `dropped` counts
    messages this rank gave up, `failures` captures that raised, `journal_lost` finals beyond the
    journal's bound.
    """

    hook: Name
    key: Name = ""
    since: float
    stack: Text = ""
    dropped: Count = 0
    failures: Count = 0
    journal_lost: Count = 0
    bytes_sent: Count = 0


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


Body: TypeAlias = Hello | Declare | Progress | State | Pulse | Event | Bye


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
