"""How are two snapshots compared? As plain values, arrays and not-a-numbers included."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ddpwatch.board.board import Board
from ddpwatch.board.snapshot import Snapshot, View


def plain(value: Any) -> Any:
    """A value made of nothing but tuples, dicts and texts."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, np.ndarray):
        return (str(value.dtype), tuple(map(repr, value.tolist())))
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return tuple(plain(each) for each in value)
    if isinstance(value, frozenset | set):
        return tuple(sorted(value))
    return repr(value)


def views(board: Board) -> list[View]:
    """Everything that can be looked at."""
    found = [View(over=over) for over in ("steps", "epochs")]
    for run in board.runs.values():
        found.append(View(run=run.run))
        found += [
            View(run=run.run, key=key, over=over)
            for key in run.passes
            for over in ("steps", "epochs")
        ]
    return found


def pictures(board: Board) -> list[Any]:
    """Every snapshot of a board, without how many messages it took and from where."""
    return [plain(_alike(board.snapshot(view))) for view in views(board)]


def _alike(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, link=replace(snapshot.link, received=0, address=""))
