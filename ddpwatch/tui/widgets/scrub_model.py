"""The line of a replay: is it playing, where, how fast, and what is wrong with its files?"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ddpwatch.board.snapshot import Mark, Playback
from ddpwatch.numbers import clock
from ddpwatch.text import pad, truncate, visible
from ddpwatch.tui.replay_keys import SAME_PLACE
from ddpwatch.tui.widgets.finding_model import GLYPHS
from ddpwatch.tui.widgets.tones import Span, Spans, width_of
from ddpwatch.tui.widgets.track import gravest, track_spans

PLAYS, PAUSED = "▶", "‖"

NAMED_FROM = 100
"""Cells from which there is room for the name of the mark that one stands on."""

NAME = 26
SHORTEST = 10
"""Cells below which a track says nothing."""


class ScrubLine(NamedTuple):
    """The spans of the line, and where its track lies in it."""

    spans: Spans
    first: int
    length: int


def scrub_line(playback: Playback, width: int) -> ScrubLine:
    """The line in `width` cells, with as long a track as there is room for."""
    state = PAUSED if playback.paused else PLAYS
    done, whole = (clock(at - playback.start) for at in (playback.at, playback.end))
    place = done.rjust(len(whole))
    left = (
        Span(f" {state} ", "worst" if playback.paused else "good"),
        Span(place, "strong"),
        Span(f" / {whole}", "muted"),
        # As wide as the widest speed, so that the track stays where it is.
        Span(f"  {pad(speed_text(playback.speed), 5)}  ", "plain"),
    )
    right = _right(playback, width)
    room = width - width_of(left) - width_of(right)
    if room < SHORTEST:
        right, room = (), width - width_of(left) - 1
    length = room if room >= SHORTEST else 0
    return ScrubLine((*left, *track_spans(playback, length), *right), width_of(left), length)


def speed_text(speed: float) -> str:
    """A speed as a factor.

    >>> speed_text(8.0), speed_text(0.5), speed_text(1000.0)
    ('×8', '×0.5', '×1000')
    """
    return f"×{speed:.4g}"


def note_spans(playback: Playback, width: int) -> Spans:
    """What is wrong with the files, in one line; empty if nothing is."""
    notes = playback.notes
    if not notes:
        return ()
    more = f"  and {len(notes) - 1} more" if len(notes) > 1 else ""
    tail = (Span(more, "muted"), Span("  ?", "key"))
    room = max(8, width - 3 - width_of(tail))
    return Span(" "), Span(truncate(f"! {visible(notes[0])}", room), "worst"), *tail


def date_text(at: float) -> str:
    """A recorded time as date and time of this place."""
    try:
        return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return ""


def _right(playback: Playback, width: int) -> Spans:
    """What stands behind the track: the name of the mark here, or that marks are to come."""
    looking = "looking for marks …" if width >= 80 else "marks …"
    if width < NAMED_FROM:
        return (Span(" " if playback.is_whole else f"  {looking} ", "muted"),)
    here = [mark for mark in playback.marks if abs(mark.at - playback.at) <= SAME_PLACE]
    if here:
        name = _name(gravest(here), NAME)
    else:
        name = (Span("" if playback.is_whole else looking, "muted"),)
    return Span("  "), *name, Span(" " * max(1, NAME + 1 - width_of(name)))


def _name(mark: Mark, width: int) -> Spans:
    if mark.kind != "finding":
        return (Span(visible(mark.text, width), "muted"),)
    glyph, tone = GLYPHS[mark.severity or "info"]
    return Span(f"{glyph} ", tone), Span(visible(mark.text, width - 2))
