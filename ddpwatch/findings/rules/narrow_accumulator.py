"""DW306: is an accumulator in half precision, or does it no longer grow?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, Held, held_of
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.united import Where, united
from ddpwatch.findings.wording import attribute, number, place
from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array

FAULT = Fault(
    code="DW306",
    severity="warning",
    title="an accumulator is half precision, or has stopped growing while updates go on",
    why=(
        "A sum grows until one more is less than its spacing, and then stays: at 256 in bfloat16, "
        "at 2,048 in float16, at 16,777,216 in float32. What comes later is not counted."
    ),
)
STOPS_AT = {"bfloat16": 256, "float16": 2_048, "float32": 16_777_216}
HALF = ("bfloat16", "float16")


class Sum(NamedTuple):
    """One accumulated state: its name, and its greatest magnitude."""

    name: str
    dtype: str
    value: float


class Narrow(NamedTuple):
    """A sum after `updates`, and through how many of the last of them it has not moved."""

    sum: Sum
    updates: int
    stuck_for: int


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one finding per metric: the narrowest of its sums, on all ranks where it is so."""
    yield from united(_narrow(evidence), _tell)


def _narrow(evidence: Evidence) -> Iterator[tuple[Where, Narrow]]:
    for loader in evidence.loaders():
        for rank in sorted(loader.states):
            before = {
                held.metric.path: held
                for held in held_of(loader.earlier.get(rank), loader.declares.get(rank))
            }
            for held in loader.held(rank):
                narrow = _of(held, before.get(held.metric.path))
                if narrow is not None:
                    yield Where(held.metric.path, loader.key, rank), narrow


def _of(held: Held, before: Held | None) -> Narrow | None:
    for position, one in _sums(held):
        stuck_for = _stuck_for(held, before, position, one)
        if stuck_for or one.dtype in HALF:
            return Narrow(one, held.state.updates, stuck_for)
    return None


def _tell(where: Where, narrow: Narrow) -> Finding:
    one = narrow.sum
    if narrow.stuck_for:
        how = f"({one.dtype}) has stayed at {one.value:,.0f} through the last {narrow.stuck_for}"
        told = f"{how} updates"
    else:
        told = (
            f"is {one.dtype}, which stops growing by ones at {STOPS_AT[one.dtype]:,}; it is "
            f"at {number(one.value)} after {narrow.updates} updates"
        )
    return FAULT.finding(
        f"{where.key} in {place(where.pass_key)}: its state {one.name!r} on rank {where.rank} "
        f"{told}",
        f"# torchmetrics keep the dtype that they are given; in on_fit_start:\n"
        f"{attribute(where.key)}.set_dtype(torch.float32)\n"
        "# or train with precision='bf16-mixed' in place of 'bf16-true'",
        key=where.key,
        pass_key=where.pass_key,
    )


def _sums(held: Held) -> Iterator[tuple[int, Sum]]:
    """The states of a metric that add up floating-point numbers."""
    for position, (spec, state) in enumerate(
        zip(held.metric.states, held.state.states, strict=False)
    ):
        if not isinstance(state, Array) or state.dtype not in STOPS_AT:
            continue
        if spec.reduction in ("sum", "mean"):
            values = to_numpy(state)
            largest = float(np.abs(values).max()) if values.size else 0.0
            yield position, Sum(spec.name, state.dtype, largest)


def _stuck_for(held: Held, before: Held | None, position: int, one: Sum) -> int:
    """Through how many updates a sum beyond the point where it stops has not moved; 0: it moves."""
    if before is None or one.value < STOPS_AT[one.dtype] or position >= len(before.state.states):
        return 0
    more = held.state.updates - before.state.updates
    if more < 2 or before.state.states[position] != held.state.states[position]:
        return 0
    return more


RULE = Rule(FAULT, find)
