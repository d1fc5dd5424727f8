"""The top line: which run is this, who is in it, and does anything still arrive?"""

from __future__ import annotations

from rich.cells import cell_len

from ddpwatch.board.snapshot import LinkInfo, Playback, RecordingInfo, RunView
from ddpwatch.numbers import age, count, rate
from ddpwatch.text import truncate, visible
from ddpwatch.tui.replay_keys import SAME_PLACE
from ddpwatch.tui.shown import Shown
from ddpwatch.tui.widgets.scrub_model import PAUSED, PLAYS, date_text
from ddpwatch.tui.widgets.tones import Span, Spans, spread, width_of


def header_spans(shown: Shown, width: int) -> Spans:
    """Return the line; what matters least goes first where room is short."""
    badge = (Span(" ddpwatch ", "badge"), Span(" "))
    state = state_spans(shown)
    run = shown.run
    date = _date(shown.playback)
    if run is None:
        return spread(badge, (*state, *date, Span(" ")), width)
    link = shown.snapshot.link if shown.snapshot is not None else LinkInfo()
    room = width - width_of(badge) - width_of(state) - 3
    name = truncate(visible(run.name), max(room, 4))
    room -= cell_len(name)
    taken: dict[str, Span] = {}
    for key, span in (*_details(run, date), *_recorded(link.recording)):
        if span.text and cell_len(span.text) <= room:
            taken[key] = span
            room -= cell_len(span.text)
    left = [*badge, Span(name, "strong")]
    left += [taken[key] for key in ("run", "ranks", "nodes") if key in taken]
    told = ("date", "rec", "rate", "lag") if link.live else ()
    right = [*state, *(taken[key] for key in told if key in taken), Span(" ")]
    return spread(left, right, width)


def state_spans(shown: Shown) -> Spans:
    """Say in a glyph and words whether what is seen is live."""
    run = shown.run
    if shown.frozen_for is not None:
        return (Span(f" ‖ paused, {age(shown.frozen_for)} behind ", "alert"),)
    if shown.snapshot is not None and not shown.snapshot.link.live:
        # Whatever the ranks do, nothing of it comes here.
        return (Span("◌ waiting for a hub" if run is None else "○ no hub answers", "bad"),)
    if shown.replay and shown.snapshot is None:
        return (Span("◌ opening the recording", "worst"),)
    if shown.playback is not None:
        aside = _run_state(run, ())
        return (*_replay(shown.playback), *((Span(" "), *aside) if aside else ()))
    lost = _not_recorded(shown.snapshot.link.recording) if shown.snapshot else ()
    return (*_run_state(run, (Span("● live", "good"),)), *lost)


def _replay(playback: Playback) -> Spans:
    """That this is not live, which is to be seen at a glance."""
    if playback.paused:
        at_end = " at the end" if playback.at >= playback.end - SAME_PLACE else ""
        return (Span(f" {PAUSED} replay{at_end} ", "alert"),)
    return (Span(f" {PLAYS} replay ", "active"),)


def _not_recorded(info: RecordingInfo | None) -> Spans:
    if info is None or not (info.lost or info.trouble):
        return ()
    number = f"{count(info.lost)} " if info.lost else ""
    return (Span(f" ! {number}not recorded", "bad"),)


def _recorded(info: RecordingInfo | None) -> list[tuple[str, Span]]:
    return [("rec", Span("  ◉ rec", "muted"))] if info is not None and not info.lost else []


def _run_state(run: RunView | None, alive: Spans) -> Spans:
    """Whether the run goes on; `alive` is what to say if it does."""
    if run is None:
        return (Span("◌ waiting for ranks", "worst"),)
    # Between the calls of a script all ranks have said goodbye, and the run may yet go on.
    if run.ended or all(info.status in ("ended", "failed") for info in run.ranks):
        return (Span("■ ended", "strong"), *_troubled(run))
    unseen = sum(info.status == "unseen" for info in run.ranks)
    if unseen:
        here = f"{run.world_size - unseen} of {run.world_size}"
        return (Span(f"◌ waiting for ranks, {here} here", "worst"),)
    if not any(info.status == "live" for info in run.ranks):
        return (Span("○ silent", "bad"),)
    return (*alive, *_troubled(run))


def _troubled(run: RunView) -> Spans:
    words = []
    for status in ("failed", "silent"):
        number = sum(info.status == status for info in run.ranks)
        if number:
            words.append(f"{number} {status}")
    return (Span(f" ! {', '.join(words)}", "bad"),) if words else ()


def _date(playback: Playback | None) -> Spans:
    return () if playback is None else (Span(f"  {date_text(playback.at)}", "plain"),)


def _details(run: RunView, date: Spans) -> list[tuple[str, Span]]:
    """Further facts, the most wanted first; how far a recording lags says nothing."""
    speed = (
        "" if run.ended or run.steps_per_second is None else rate(run.steps_per_second, "step/s")
    )
    lag = "" if date or run.ended or run.lag is None else f"lag {age(run.lag)}"
    return [
        *(("date", span) for span in date),
        ("ranks", Span(f"  {_number(run.world_size, 'rank')}", "muted")),
        ("rate", Span(f"   {speed}" if speed else "", "plain")),
        ("nodes", Span(f" · {_number(run.nodes, 'node')}", "muted")),
        ("lag", Span(f"   {lag}" if lag else "", "muted")),
        ("run", Span("" if run.run == run.name else f"  run {visible(run.run, 10)}", "muted")),
    ]


def _number(number: int, word: str) -> str:
    return f"{count(number)} {word}{'' if number == 1 else 's'}"
