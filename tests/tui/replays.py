"""Snapshots of a recording, at any place and with any marks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ddpwatch.board.snapshot import Mark, Playback
from tests.tui import diagnosed, snapshots

START = 1_790_000_000.0

MARKS = (
    *(Mark(START + at, "epoch", f"end of epoch {number}")
      for number, at in enumerate((110, 220, 330, 440))),
    Mark(START + 115.0, "finding", "DW101 val_f1", "warning"),
    Mark(START + 120.0, "finding", "DW203", "info"),
    Mark(START + 224.0, "finding", "DW105 val_f1", "error"),
    Mark(START + 300.0, "part", "part 2"),
)  # fmt: skip


def playback(at=62.0, **changes):
    marks = tuple(sorted(MARKS, key=lambda mark: mark.at))
    base = Playback(START, START + 465.0, START + at, 8.0, paused=False, marks=marks)
    return replace(base, **changes)


def snapshot(at=62.0, run=None, **changes):
    run = diagnosed.run() if run is None else run
    return replace(snapshots.snapshot(run), at=START + at, playback=playback(at, **changes))


def empty(at=0.0, **changes):
    """A place before the first rank came."""
    return replace(snapshots.waiting(), at=START + at, playback=playback(at, **changes))


def crowded():
    """Five hundred marks of all kinds."""
    rng = np.random.default_rng(0)
    kinds = ("error", "warning", "info", None)
    marks = [
        Mark(
            START + place * 0.93, "finding" if kinds[which] else "epoch", f"m{place}", kinds[which]
        )
        for place, which in enumerate(rng.choice(4, 500, p=(0.02, 0.1, 0.08, 0.8)))
    ]
    return snapshot(300.0, marks=tuple(marks))


def damaged():
    """Cut short, and with marks that are still being looked for."""
    notes = (
        "run.mcap was cut short: nothing is known after 7:45",
        f"part 2 is damaged at byte 1,203,112 {snapshots.HOSTILE}",
    )
    return snapshot(224.0, paused=True, is_whole=False, notes=notes)
