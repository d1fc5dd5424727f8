"""Where do the recordings in this folder come from? From the demo scripts, each watched by a hub.

`make recordings` makes them anew, with `expected.json`, which says what must come of each in every
later version. What tells only of the machine (host name, folders) is replaced by something shorter.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from ddpwatch import serving
from ddpwatch.errors import RecordingError
from ddpwatch.feed import Intake
from ddpwatch.findings.diagnosis import Diagnosis
from ddpwatch.recording.filing import Filing
from ddpwatch.recording.library import open_recordings
from ddpwatch.report.document import build_report
from ddpwatch.report.narration import Narrator
from ddpwatch.report.recorded import end_of
from ddpwatch.wire.codec import encode
from ddpwatch.wire.messages import Bye, Event, Hello, Output, Pulse
from ddpwatch.wire.stamped import Item, Stamped

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
EXPECTED = HERE / "expected.json"

SCRIPTS = {
    "healthy": ("demo/train.py", "--ranks", "4", "--epochs", "8"),
    "multilabel": ("demo/multilabel.py", "--ranks", "2", "--epochs", "5"),
    "padded": ("-m", "demo.findings.dw201_padded"),
    "inflated": ("-m", "demo.findings.dw108_inflated"),
    "dying": ("-m", "demo.findings.dw401_rank_raises"),
    "blocked": ("-m", "demo.findings.dw106_under_rank_zero"),
}

_PLACES = {str(ROOT): ".", sys.prefix: "venv", sys.base_prefix: "python", str(Path.home()): "~"}
_TEXTS: dict[type[Any], str] = {Output: "text", Pulse: "stack", Event: "text", Bye: "text"}


def main() -> None:
    """Make all recordings, or those that are named on the command line."""
    names = sys.argv[1:] or list(SCRIPTS)
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    for name in names:
        path = HERE / f"{name}.mcap"
        record(SCRIPTS[name], path)
        expected[name] = account_of(path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB, {expected[name]['findings']}")
    EXPECTED.write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")


def record(script: Sequence[str], path: Path) -> None:
    """Run a script to its end, and leave one file of what its ranks said."""
    with serving.make_hub("127.0.0.1:0") as hub, tempfile.TemporaryDirectory() as folder:
        filing, keeper = Filing(Path(folder)), Keeper()
        intake = serving.make_intake(hub.address, Diagnosis(), [keeper])
        process = subprocess.Popen(  # noqa: S603 - our own scripts, no shell
            [sys.executable, *script],
            cwd=ROOT,
            env={**os.environ, "DDPWATCH": hub.address, "PYTHONPATH": f"{ROOT}:{ROOT / 'plugin'}"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _watch(hub.batches(), intake)
        process.wait()
        for batch in keeper.batches:
            filing.take([without_places(item) for item in batch], 0.0)
            filing.flush(0.0)
        filing.close(0.0)
        (made,) = Path(folder).rglob("*.mcap")
        path.write_bytes(made.read_bytes())


class Keeper:
    """Keeps what there is to record: about a second of it in each batch."""

    def __init__(self) -> None:
        self.batches: list[list[Item]] = [[]]

    def take(self, items: Sequence[Item]) -> None:
        """Take in a batch."""
        newest = self.batches[-1]
        if newest and items and items[-1].at - newest[0].at > 1.0:
            self.batches.append(newest := [])
        newest += items


def _watch(batches: Iterator[Sequence[Item]], intake: Intake) -> None:
    narrator = Narrator()
    for batch in batches:
        intake.take(batch)
        list(narrator.news(intake.board))
        if list(narrator.ended(intake.board)):
            return


def without_places(item: Item) -> Item:
    """Return the item with nothing in it that tells of this machine only."""
    if not isinstance(item, Stamped):
        return item
    body: Any = item.envelope.body
    if isinstance(body, Hello):
        body = msgspec.structs.replace(body, node="node0")
    elif type(body) in _TEXTS:
        field = _TEXTS[type(body)]
        text = getattr(body, field).replace(socket.gethostname(), "node0")
        for place, short in _PLACES.items():
            text = text.replace(place, short)
        body = msgspec.structs.replace(body, **{field: text})
    envelope = msgspec.structs.replace(item.envelope, body=body)
    return replace(item, envelope=envelope, raw=encode(envelope))


def account_of(path: Path) -> dict[str, Any]:
    """What must come of a recording whenever it is read: last global values, and what was found."""
    with open_recordings(path) as recording:
        if recording.notes:
            raise RecordingError(f"expected a sound recording, got: {recording.notes}")
        board = end_of(recording)
    (run,) = board.runs.values()
    report = build_report(run, board.now, board.findings(run))
    values = {
        f"{epoch.stage} {metric.name} {metric.score} {metric.average or '-'}": metric.global_
        for epoch in report.epochs
        for metric in epoch.metrics
        if metric.label is None
    }
    return {
        "name": report.run.name,
        "ranks": [rank.status for rank in report.run.ranks],
        "epochs": len(report.epochs),
        "values": values,
        "findings": sorted({finding.code for finding in report.findings}),
    }


if __name__ == "__main__":
    main()
