"""DW204: has a class or label no samples on some rank?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddpwatch.board.snapshot import Finding
from ddpwatch.findings.evidence import Evidence, Held, LoaderPass
from ddpwatch.findings.rule import Fault, Rule
from ddpwatch.findings.wording import attribute, place, plural
from ddpwatch.wire.arrays import to_numpy
from ddpwatch.wire.messages import Array

FAULT = Fault(
    code="DW204",
    severity="info",
    title="a class or label has no samples on some rank",
    why=(
        "A rank without samples of a class has no score for it: torchmetrics puts 0 there, or "
        "leaves the class out of the average, so that rank's own score means little. The value "
        "over all ranks is not touched."
    ),
)
MOST_LABELS = 4


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one finding per loader and set of absent classes, however many metrics count them."""
    if evidence.world_size < 2:
        return
    for loader in evidence.loaders():
        if loader.key.stage == "sanity_check" or not loader.is_final(evidence.world_size):
            continue
        told = set()
        for path in dict.fromkeys(h.metric.path for r in loader.states for h in loader.held(r)):
            absent = _absent(loader, path)
            if absent and absent not in told:
                told.add(absent)
                yield _finding(loader, path, dict(absent))


def _absent(loader: LoaderPass, path: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """By rank, the labels that it has no sample of and another rank has."""
    supports: dict[int, NDArray[np.int64]] = {}
    labels: tuple[str, ...] = ()
    for rank in loader.states:
        held = next((each for each in loader.held(rank) if each.metric.path == path), None)
        support = _support(held) if held is not None else None
        if held is None or support is None:
            return ()
        supports[rank], labels = support, held.metric.labels
    if len({support.shape for support in supports.values()}) > 1:
        return ()
    some = np.any([support > 0 for support in supports.values()], axis=0)
    found = []
    for rank, support in sorted(supports.items()):
        missing = np.flatnonzero(some & (support == 0))
        if len(missing):
            found.append((rank, tuple(_name(labels, index) for index in missing.tolist())))
    return tuple(found)


def _name(labels: tuple[str, ...], index: int) -> str:
    label = labels[index] if index < len(labels) else ""
    return label if label and not label.isdigit() else f"class {label or index}"


def _support(held: Held) -> NDArray[np.int64] | None:
    """Samples per class or label, None where the states do not say (micro, custom, lists)."""
    if not held.metric.base or any(not isinstance(s, Array) for s in held.state.states):
        return None
    names = (spec.name for spec in held.metric.states)
    arrays = {
        name: to_numpy(state)
        for name, state in zip(names, held.state.states, strict=False)
        if isinstance(state, Array)
    }
    if "tp" in arrays and "fn" in arrays and arrays["tp"].ndim == 1 and arrays["tp"].size > 1:
        return _counts(arrays["tp"]) + _counts(arrays["fn"])
    matrix = arrays.get("confmat")
    if matrix is None or "thresholds" in held.metric.params:
        return None
    if matrix.ndim == 2:
        return _counts(matrix.sum(axis=1))
    if matrix.ndim == 3 and matrix.shape[1:] == (2, 2):
        return _counts(matrix[:, 1].sum(axis=1))
    return None


def _counts(values: NDArray[Any]) -> NDArray[np.int64]:
    return np.asarray(values, dtype=np.int64)


def _finding(loader: LoaderPass, path: str, absent: dict[int, tuple[str, ...]]) -> Finding:
    parts = []
    for rank, names in sorted(absent.items())[:MOST_LABELS]:
        more = f" and {len(names) - MOST_LABELS} more" if len(names) > MOST_LABELS else ""
        parts.append(f"rank {rank} has none of {', '.join(names[:MOST_LABELS])}{more}")
    rest = (
        f"; {plural(len(absent) - MOST_LABELS, 'more rank')}" if len(absent) > MOST_LABELS else ""
    )
    return FAULT.finding(
        f"{path} in {place(loader.key)}: {'; '.join(parts)}{rest}",
        f"# look at the value over all ranks, not at one rank's own:\n"
        f"self.log('…', {attribute(path)})",
        key=path,
        ranks=absent,
        pass_key=loader.key,
    )


RULE = Rule(FAULT, find)
