"""How does a finding speak of numbers, ranks, metrics and calls?"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping

from ddpwatch.board.snapshot import LoggedRow, PassKey

MOST_RANKS = 4
_SUFFIX = re.compile("/dataloader_idx_[0-9]+$")


def number(value: float | None) -> str:
    """Write a number with four digits that count; absent is `unknown`.

    >>> number(0.82222), number(1.375), number(None)
    ('0.8222', '1.375', 'unknown')
    """
    if value is None:
        return "unknown"
    return f"{value:.4g}" if math.isfinite(value) else f"{value}"


def each_rank(values: Mapping[int, float]) -> str:
    """Say what each rank has, the first few of them.

    >>> each_rank({0: 0.5, 1: 0.25})
    'rank 0 has 0.5, rank 1 has 0.25'
    """
    shown = sorted(values.items())
    parts = [f"rank {rank} has {number(value)}" for rank, value in shown[:MOST_RANKS]]
    rest = [value for _, value in shown[MOST_RANKS:]]
    if rest:
        parts.append(f"{len(rest)} more between {number(min(rest))} and {number(max(rest))}")
    return ", ".join(parts)


def ranks(these: Collection[int]) -> str:
    """Name a few ranks.

    >>> ranks([1]), ranks([0, 2])
    ('rank 1', 'ranks 0 and 2')
    """
    names = [str(rank) for rank in sorted(these)]
    if len(names) == 1:
        return f"rank {names[0]}"
    if len(names) > MOST_RANKS:
        names = [*names[:MOST_RANKS], f"{len(names) - MOST_RANKS} more"]
    return f"ranks {', '.join(names[:-1])} and {names[-1]}"


def plural(count: int, noun: str) -> str:
    """Count things.

    >>> plural(1, "sample"), plural(3, "sample")
    ('1 sample', '3 samples')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def place(key: PassKey) -> str:
    """Name a pass: `validate epoch 3`."""
    loader = f", dataloader {key.dataloader}" if key.dataloader else ""
    return f"{key.stage} epoch {key.epoch}{loader}"


def attribute(path: str) -> str:
    """Write a metric's path as code.

    >>> attribute("val.0.f1")
    'self.val[0].f1'
    """
    code = "self"
    for part in path.split("."):
        if part.isidentifier():
            code += f".{part}"
        else:
            code += f"[{part}]" if part.isdigit() else f"[{part!r}]"
    return code


def called_name(row: LoggedRow) -> str:
    """The name that the user's call gave, as far as the emitted one tells."""
    if row.alias:
        return _SUFFIX.sub("", row.alias)
    name = _SUFFIX.sub("", row.id.name)
    both = row.on_step and row.on_epoch
    return name.removesuffix(f"_{row.id.kind}") if both else name


def log_object(row: LoggedRow, path: str) -> str:
    """Code that logs a metric object under the user's key."""
    metric = attribute(path)
    stage = row.id.hook.removeprefix("on_").split("_")[0]
    return (
        f"# in {stage}_step\n"
        f"{metric}.update(preds, target)\n"
        f"self.log({called_name(row)!r}, {metric}, on_step=False, on_epoch=True)"
    )
