"""What does `ddpwatch list` say of each recording, without folding it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ddpwatch.board.findings_told import decode
from ddpwatch.board.snapshot import Severity
from ddpwatch.errors import FrameError
from ddpwatch.recording.merged import Kept
from ddpwatch.recording.recording import FOREVER, Recording
from ddpwatch.text import pad, shorten, visible
from ddpwatch.wire.messages import Event, Hello
from ddpwatch.wire.stamped import Stamped, Told

HEADS = ("recording", "run", "began", "lasted", "ranks", "epochs", "size", "findings")
WIDEST = 40
_UNITS = ("B", "kB", "MB", "GB", "TB")


class Listed(NamedTuple):
    """One recording: times in seconds, size in bytes, findings by severity.

    `findings` is None where nobody looked for any.
    """

    name: str
    run: str
    began: float
    lasted: float
    ranks: int
    epochs: int
    size: int
    findings: dict[Severity, int] | None
    is_cut_short: bool


def listed(name: str, recording: Recording) -> Listed:
    """Return what a recording, which is open, says of itself."""
    kept = recording.index.upto(FOREVER)
    bodies = [each.item.envelope.body for each in kept if isinstance(each.item, Stamped)]
    hellos = [body for body in bodies if isinstance(body, Hello)]
    ended = {body.epoch for body in bodies if isinstance(body, Event) and _ends_epoch(body)}
    return Listed(
        name=name,
        run=hellos[0].name if hellos else recording.parts[0].about.get("run", ""),
        began=recording.start,
        lasted=recording.end - recording.start,
        ranks=max((hello.world_size for hello in hellos), default=0),
        epochs=len(ended),
        size=recording.size,
        findings=_findings(kept) if recording.is_told else None,
        is_cut_short=recording.is_cut_short,
    )


def table(found: Sequence[Listed]) -> str:
    """Return the lines for people, one for each recording below a head."""
    rows = [HEADS, *(_cells(each) for each in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    lines = (
        "  ".join(pad(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join(lines)


def _ends_epoch(event: Event) -> bool:
    return event.kind == "pass_end" and event.stage == "train"


def _findings(kept: Sequence[Kept]) -> dict[Severity, int]:
    standing: dict[tuple[object, ...], Severity] = {}
    for each in kept:
        if not isinstance(each.item, Told):
            continue
        try:
            verdict = decode(each.item.raw)
        except FrameError:
            continue
        finding = verdict.finding
        place = finding.pass_key
        case = (each.item.run, finding.code, finding.key, place and (place.stage, place.dataloader))
        standing.pop(case, None)
        if verdict.stands:
            standing[case] = finding.severity
    return dict(Counter(standing.values()))


def _cells(one: Listed) -> tuple[str, ...]:
    return (
        visible(one.name),
        shorten(visible(one.run), WIDEST),
        datetime.fromtimestamp(one.began).astimezone().strftime("%Y-%m-%d %H:%M"),
        lasting(one.lasted),
        str(one.ranks),
        str(one.epochs),
        size(one.size),
        _told(one),
    )


def _told(one: Listed) -> str:
    if one.findings is None:
        told = "not looked for"
    else:
        ordered: tuple[Severity, ...] = ("error", "warning", "info")
        counts = [(one.findings.get(each, 0), each) for each in ordered]
        told = ", ".join(f"{count} {each}" for count, each in counts if count) or "none"
    return told + (" (cut short)" if one.is_cut_short else "")


def lasting(seconds: float) -> str:
    """Return a time span as `1:02:03` or `2:03`."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def size(nbytes: int) -> str:
    """Return a number of bytes in the largest unit of which there is one."""
    count, unit = float(nbytes), 0
    while count >= 999.5 and unit < len(_UNITS) - 1:
        count, unit = count / 1000, unit + 1
    return f"{count:.3g} {_UNITS[unit]}"
