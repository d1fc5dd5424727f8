"""What does the row with the cursor say, in a sentence, and is anything wrong?"""

from __future__ import annotations

import math

import numpy as np

from ddpwatch.board.snapshot import Row, Snapshot, Table
from ddpwatch.numbers import EQUAL, count, plain_number
from ddpwatch.text import shorten, truncate, visible
from ddpwatch.tui.widgets.cells import worst_of
from ddpwatch.tui.widgets.grid_model import Line
from ddpwatch.tui.widgets.tones import Span, Spans, fill


def row_spans(line: Line | None, table: Table | None) -> Spans:
    """Return one sentence about a line of the table."""
    if line is None or table is None:
        return ()
    if line.key.kind == "samples":
        return (Span(_samples(table), "muted"),)
    if line.key.kind == "classes":
        return (Span("e", "key"), Span(f" {'hides' if line.is_open else 'shows'} ", "muted"),
                Span(f"the {line.name}", "muted"))  # fmt: skip
    if line.row is None:
        return ()
    return Span(shorten(line.title, 32), "strong"), Span(": ", "muted"), *_about(line.row)


def notice_spans(snapshot: Snapshot | None, width: int) -> Spans:
    """Return what is wrong, or worth knowing, beyond the table; empty if nothing is."""
    if snapshot is None or snapshot.run is None:
        return ()
    groups: list[Spans] = []
    runs = len(snapshot.runs)
    aside: list[Spans] = []
    if runs > 1:
        aside.append((Span("r", "key"), Span(f" {runs} runs to choose from", "muted")))
    rejected = sum(snapshot.link.rejected.values())
    if rejected:
        kinds = ", ".join(f"{n} {visible(k)}" for k, n in sorted(snapshot.link.rejected.items()))
        aside.append((Span(f"{count(rejected)} frames turned away: {kinds}", "muted"),))
    problems = snapshot.run.problems
    if problems:
        more = f"  and {len(problems) - 1} more" if len(problems) > 1 else ""
        text = truncate(f"! {visible(problems[0])}", max(8, width - len(more)))
        groups.append((Span(text, "bad"), Span(more, "muted")))
    return fill([*groups, *aside], width)


def _about(row: Row) -> Spans:
    if row.global_ is None:
        return (Span(f"no global value, {visible(row.reason) or 'no rank has one'}", "muted"),)
    spans = [Span(_mean_against(row), "muted")]
    usable = row.present & np.isfinite(row.values)
    if np.count_nonzero(row.present & ~usable):
        odd = np.flatnonzero(row.present & ~usable)
        spans.append(Span(f"; not finite on {_ranks(odd)}", "bad"))
    worst = worst_of(row)
    if worst is not None:
        value = plain_number(worst.value)
        spans.append(Span(f"; worst is rank {worst.rank} with {value}", "worst"))
    idle = np.flatnonzero(~row.present & (row.samples == 0))
    if len(idle):
        spans.append(Span(f"; no samples on {_ranks(idle)}", "muted"))
    return tuple(spans)


def _mean_against(row: Row) -> str:
    if row.gap is None or row.global_ is None or not math.isfinite(row.gap):
        return "GLOBAL is " + plain_number(row.global_)
    if abs(row.gap) < EQUAL:
        return f"mean and GLOBAL agree, {plain_number(row.global_)}"
    side = "above" if row.gap > 0 else "below"
    return f"mean is {plain_number(abs(row.gap))} {side} GLOBAL"


def _ranks(ranks: np.ndarray[tuple[int], np.dtype[np.intp]]) -> str:
    first = ", ".join(str(rank) for rank in ranks[:3])
    more = f" and {len(ranks) - 3} more" if len(ranks) > 3 else ""
    return f"rank{'s' if len(ranks) > 1 else ''} {first}{more}"


def _samples(table: Table) -> str:
    known = table.samples[table.samples >= 0]
    if not len(known):
        return "samples: not known on any rank"
    least, most = int(known.min()), int(known.max())
    each = (
        f"{count(least)} each" if least == most else f"from {count(least)} to {count(most)} a rank"
    )
    return f"samples: {count(int(known.sum()))} on {count(len(known))} ranks, {each}"
