"""How do items travel from a hub to those who look on? Many in one frame, ranks' frames as such.

A frame is a msgpack array, as an envelope is, and so no greeting; it goes to viewers only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from ddpwatch.errors import FrameError
from ddpwatch.wire import codec
from ddpwatch.wire.messages import Count, Index, Name, Stage
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

LARGEST_BATCH = 1 << 20
"""Bytes of items in one frame, unless a single item is larger."""

LARGEST_TOLD = 1 << 20
MOST_STRIDES = 65_536
LARGEST_FRAME = codec.MAX_FRAME + 4096
"""Bytes; a longer frame is refused before it is decoded. A rank's largest fits into it."""


_Place: TypeAlias = tuple[Index, Stage, Index, Index, Index]
_Stride: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**24)]


class Part(IntEnum):
    """What a frame is of: what has just come, or all that is known, with more of it to follow."""

    LIVE = 0
    SNAPSHOT = 1
    SNAPSHOT_END = 2


class Viewed(NamedTuple):
    """A frame, decoded."""

    part: Part
    items: list[Item]


class _Frame(msgspec.Struct, array_like=True, frozen=True, tag=0):
    at: float
    frame: bytes
    times: Count = 1


class _Rejected(msgspec.Struct, array_like=True, frozen=True, tag=1):
    at: float
    kind: Name
    count: Count = 1


class _Tick(msgspec.Struct, array_like=True, frozen=True, tag=2):
    at: float


class _Told(msgspec.Struct, array_like=True, frozen=True, tag=3):
    at: float
    run: Name
    raw: Annotated[bytes, msgspec.Meta(max_length=LARGEST_TOLD)]


class _Restart(msgspec.Struct, array_like=True, frozen=True, tag=4):
    at: float


class _Heard(msgspec.Struct, array_like=True, frozen=True, tag=5):
    at: float
    run: Name
    rank: Index
    claim: Name
    seq: Count | None
    missing: Count
    lag: float
    least_delay: float | None
    rival_at: float | None
    has_left: bool
    strides: Annotated[tuple[tuple[_Place, _Stride], ...], msgspec.Meta(max_length=MOST_STRIDES)]


class _Begun(msgspec.Struct, array_like=True, frozen=True, tag=6):
    at: float
    run: Name
    place: _Place
    is_newest: bool = False


class _Lost(msgspec.Struct, array_like=True, frozen=True, tag=7):
    at: float


_Wire: TypeAlias = _Frame | _Rejected | _Tick | _Told | _Restart | _Heard | _Begun | _Lost

# Fields on both sides have the same names, in the same order.
_WIRE: dict[type[Item], type[msgspec.Struct]] = {
    Rejected: _Rejected,
    Tick: _Tick,
    Told: _Told,
    Restart: _Restart,
    Heard: _Heard,
    Begun: _Begun,
    Lost: _Lost,
}
_ITEM: dict[type[msgspec.Struct], type[Any]] = {wire: item for item, wire in _WIRE.items()}

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Part, list[_Wire]])


def encode(
    items: Iterable[Item], *, snapshot: bool = False, largest: int = LARGEST_BATCH
) -> Iterator[bytes]:
    """Yield frames of about `largest` bytes at most, made one by one as they are asked for.

    The last frame of a snapshot says so, also where there are no items.
    """
    batches = _batches(items, largest)
    batch = next(batches, ()) if snapshot else next(batches, None)
    while batch is not None:
        following = next(batches, None)
        part = Part.LIVE
        if snapshot:
            part = Part.SNAPSHOT_END if following is None else Part.SNAPSHOT
        yield _encoder.encode((part, batch))
        batch = following


def decode(frame: bytes) -> Viewed:
    """Return the items; one whose content is no message is `Rejected`, as a hub would.

    Raises:
        FrameError: `oversized` or `malformed`.
    """
    if len(frame) > LARGEST_FRAME:
        raise FrameError("oversized", f"{len(frame)} bytes, at most {LARGEST_FRAME}")
    try:
        part, wired = _decoder.decode(frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FrameError("malformed", str(error)) from error
    return Viewed(part, [_read(each) for each in wired])


def _batches(items: Iterable[Item], largest: int) -> Iterator[Sequence[msgspec.Raw]]:
    batch: list[msgspec.Raw] = []
    size = 0
    for raw in map(_encoder.encode, map(_written, items)):
        if batch and size + len(raw) > largest:
            yield batch
            batch, size = [], 0
        batch.append(msgspec.Raw(raw))
        size += len(raw)
    if batch:
        yield batch


def _written(item: Item) -> msgspec.Struct:
    if isinstance(item, Stamped):
        return _Frame(item.at, item.raw or codec.encode(item.envelope), item.times)
    wire = _WIRE[type(item)]
    return wire(*(getattr(item, name) for name in wire.__struct_fields__))


def _read(wired: _Wire) -> Item:
    if isinstance(wired, _Frame):
        try:
            return Stamped(wired.at, codec.decode(wired.frame), wired.frame, wired.times)
        except FrameError as error:
            return Rejected(wired.at, error.kind)
    item: Item = _ITEM[type(wired)](*(getattr(wired, name) for name in wired.__struct_fields__))
    return item
